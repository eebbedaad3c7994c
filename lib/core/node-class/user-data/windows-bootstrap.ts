import type { NodeSettings } from './node-settings.ts';
import { asText, type Rendered, refusedUserData } from './rendered.ts';
import { readWindowsUserData } from './windows-user-data.ts';

/**
 * The user data with which EC2Launch joins a Windows instance (C72): the user's script, then AWS's bootstrap script.
 * *Source:* AWS's documentation of `Start-EKSBootstrap.ps1` and of the elements of EC2Launch's user data.
 */
export function windowsBootstrap(written: string, node: NodeSettings, kubeletArguments: string): Rendered {
  const theirs = readWindowsUserData(written);
  if (theirs.kind === 'unreadable') return refusedUserData(theirs);
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
    // Otherwise the script guesses one of the two default ranges of EKS.
    `-ServiceCIDR ${powershellQuoted(serviceCidr)}`,
    `-KubeletExtraArgs ${powershellQuoted(kubeletArguments)}`,
  ];
  return [
    '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
    // All its output goes to the log of EC2Launch.
    `& $EKSBootstrapScriptFile ${parameters.join(' ')} 3>&1 4>&1 5>&1 6>&1`,
  ];
}

/** PowerShell also treats the four typographic single quotes as the end of a quoted string. */
function powershellQuoted(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}
