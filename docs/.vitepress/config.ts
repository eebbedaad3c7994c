import { PARTS } from './pages.ts';
import { namesOnly } from './source-links.ts';

/** The manual: `npm run manual` writes it to the folder `site`. It loads nothing from other hosts. */
export default {
  title: 'Kerf',
  description: 'Node autoscaling for Amazon EKS with nothing left running',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  outDir: '../site',
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: false,
  metaChunk: true,
  // The colors of the default theme are too light for small text.
  markdown: { config: namesOnly, theme: { light: 'github-light-high-contrast', dark: 'github-dark' } },
  // The esbuild of VitePress is older than the target of tsconfig.json.
  vite: { esbuild: { tsconfigRaw: '{}' } },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Laptop', link: '/start-laptop' },
      { text: 'Cluster', link: '/start-cluster' },
      { text: 'Commands', link: '/commands' },
      { text: 'Settings', link: '/settings' },
      { text: 'Runbook', link: '/runbook' },
    ],
    sidebar: PARTS,
  },
};
