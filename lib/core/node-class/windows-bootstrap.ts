import type { NodeSettings } from './node-settings.ts';
import { asText, type Rendered, refused } from './rendered.ts';
import { readWindowsUserData } from './windows-user-data.ts';

/**
 * What EC2Launch runs to make a Windows instance a node (C72): what the user wrote, then AWS's script.
 * *Source:* AWS's documentation of `Start-EKSBootstrap.ps1` and of the elements of EC2Launch's user data.
 */
export function windowsBootstrap(written: string, node: NodeSettings, kubeletArguments: string): Rendered {
  const theirs = readWindowsUserData(written);
  if (theirs.kind === 'unreadable') return refused('UnreadableUserData', theirs.message);
  const script = [...(theirs.script === '' ? [] : [theirs.script]), ...bootstrapCall(node, kubeletArguments)];
  const elements = [...theirs.before, `<powershell>\n${script.join('\n')}\n</powershell>`, ...theirs.after];
  return asText(`${elements.join('\n')}\n`);
}

function bootstrapCall({ bootstrap, clusterDns }: NodeSettings, kubeletArguments: string): readonly string[] {
  const { clusterName, endpoint, certificateAuthority, serviceCidr } = bootstrap;
  const parameters = [
    `-EKSClusterName ${powershellQuoted(clusterName)}`,
    `-APIServerEndpoint ${powershellQuoted(endpoint)}`,
    `-Base64ClusterCA ${powershellQuoted(certificateAuthority)}`,
    ...(clusterDns === undefined ? [] : [`-DNSClusterIP ${powershellQuoted(clusterDns)}`]),
    // Else the script guesses between the two ranges that EKS picks by itself.
    `-ServiceCIDR ${powershellQuoted(serviceCidr)}`,
    `-KubeletExtraArgs ${powershellQuoted(kubeletArguments)}`,
  ];
  return [
    '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
    // Everything it says goes to the log of EC2Launch.
    `& $EKSBootstrapScriptFile ${parameters.join(' ')} 3>&1 4>&1 5>&1 6>&1`,
  ];
}

/** To PowerShell, the four typographic single quotes end such a text as well. */
function powershellQuoted(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}
