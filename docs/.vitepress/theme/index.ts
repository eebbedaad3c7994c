import Theme from 'vitepress/theme-without-fonts';
import './kerf.css';

export default Theme;
