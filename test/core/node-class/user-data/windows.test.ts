import { describe, expect, test } from 'vitest';
import { A_NODE, refusalOf, type Spec, textOf } from './user-data-readers.ts';

function windows(userData = '', spec: Spec = {}): string {
  return textOf({ amiFamily: 'Windows2022', userData, ...spec });
}

const CALL = windows()
  .replace(/^<powershell>\n/, '')
  .replace(/<\/powershell>\n$/, '');

describe('the call of AWS’s script', () => {
  test.each(['Windows2019', 'Windows2022', 'Windows2025'] as const)(
    'C72: %s runs it with the cluster, its DNS, labels and taints',
    (amiFamily) => {
      expect(textOf({ amiFamily })).toBe(
        [
          '<powershell>',
          '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
          "& $EKSBootstrapScriptFile -EKSClusterName 'demo' -APIServerEndpoint 'https://demo.eks.example' " +
            "-Base64ClusterCA 'Q0E=' -DNSClusterIP '10.100.0.10' -ServiceCIDR '10.100.0.0/16' -KubeletExtraArgs " +
            "'--node-labels=karpenter.sh/do-not-sync-taints=true,karpenter.sh/nodepool=general " +
            "--register-with-taints=team=web:NoSchedule,karpenter.sh/unregistered:NoExecute' 3>&1 4>&1 5>&1 6>&1",
          '</powershell>',
          '',
        ].join('\n'),
      );
    },
  );

  test('C72: fields of the kubelet are its arguments', () => {
    const kubelet = {
      maxPods: 30,
      podsPerCore: 2,
      evictionHard: { 'memory.available': '500Mi' },
      clusterDNS: ['10.1.1.1'],
    };
    const text = windows('', { kubelet });
    expect(text).toContain(`--max-pods=30 --pods-per-core=2 --eviction-hard="memory.available<500Mi"'`);
    expect(text).toContain(" -DNSClusterIP '10.1.1.1' ");
  });

  test('every kind of single quote in PowerShell is doubled', () => {
    const bootstrap = { ...A_NODE.bootstrap, clusterName: 'a\'b’c‘d‚e‛f"g$h`' };
    expect(textOf({ amiFamily: 'Windows2025' }, { bootstrap })).toContain(
      "-EKSClusterName 'a''b’’c‘‘d‚‚e‛‛f\"g$h`' -APIServerEndpoint",
    );
  });
});

describe('what the user wrote', () => {
  test.each([
    ['by itself', 'Write-Host "hi"\r\nGet-Date'],
    ['after a byte order mark', '\ufeffWrite-Host "hi"\r\nGet-Date'],
    ['in its element', '<powershell>\nWrite-Host "hi"\r\nGet-Date\n</powershell>\n'],
    ['in its element, in capitals', '<PowerShell>Write-Host "hi"\r\nGet-Date</POWERSHELL>'],
  ])('C72: PowerShell %s runs before AWS’s script', (_, written) => {
    expect(windows(written)).toBe(`<powershell>\nWrite-Host "hi"\r\nGet-Date\n${CALL}</powershell>\n`);
  });

  test.each([
    '<powershell>\nGet-Date\n</powershell>\n<persist>true</persist>',
    'Get-Date\n<persist>true</persist>\n',
    '<powershell>Get-Date</powershell><persist>true</persist>',
  ])('C72: whether it runs at each start stays the user’s to say: %j', (written) => {
    expect(windows(written)).toBe(`<powershell>\nGet-Date\n${CALL}</powershell>\n<persist>true</persist>\n`);
  });

  test('C72: the other elements of EC2Launch stay in their places', () => {
    const written =
      '<script>\necho %TEMP%\n</script>\n<powershell>\nGet-Date\n</powershell>\n<detach>true</detach>\n<persist>false</persist>';
    expect(windows(written)).toBe(
      `<script>\necho %TEMP%\n</script>\n<powershell>\nGet-Date\n${CALL}</powershell>\n<detach>true</detach>\n<persist>false</persist>\n`,
    );
    expect(windows('<script>echo hi</script>')).toBe(`<script>echo hi</script>\n<powershell>\n${CALL}</powershell>\n`);
  });

  test.each([
    ['Write-Host "</powershell>"', 'the tags </powershell>'],
    ['<powershell>a', 'the tags <powershell>'],
    ['</powershell>a<powershell>', 'the tags </powershell> <powershell>'],
    ['<powershell>a</powershell><powershell>b</powershell>', 'write one <powershell>'],
    ['<powershell>a</powershell>\nGet-Date', '"Get-Date" outside'],
    ['Get-Date\n<powershell>a</powershell>', '"Get-Date" outside'],
    ['<script>a<powershell>b</powershell>', '"<script>a" outside'],
    ['version: 1.1\ntasks:\n- task: executeScript\n', 'YAML'],
  ])('C72: what would be lost, or cut ours off, is refused: %j', (userData, why) => {
    const refusal = refusalOf({ amiFamily: 'Windows2019', userData });
    expect(refusal).toMatch(
      /^UnreadableUserData: EC2NodeClass default: userData has|^UnreadableUserData: .* is a YAML/,
    );
    expect(refusal).toContain(why);
  });
});
