/** Synthesizes the stack as `cdk synth` does, and deletes its folder afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import cdk from '../../cdk.json' with { type: 'json' };
import type { ClusterOptions } from '../../lib/operator/options/cluster-options.ts';
import { KerfStack, type KerfStackProps } from '../../lib/stack/kerf-stack.ts';
import { readJson, textAt } from './json.ts';

export interface Assembly {
  readonly template: Template;
  readonly folder: string;
  readonly remove: () => void;
}

type Extras = Pick<KerfStackProps, 'webhookSecretRotation' | 'alarmTopicArn'>;

const templates = new Map<string, Template>();

/** The template of these clusters. A worker synthesizes it once: tests only read it. */
export function templateOf(clusters: readonly ClusterOptions[]): Template {
  const key = JSON.stringify(clusters);
  const template = templates.get(key) ?? synthesize(clusters);
  templates.set(key, template);
  return template;
}

/** The template, synthesized anew, without the code of the functions. */
export function synthesize(clusters: readonly ClusterOptions[], extras: Extras = {}): Template {
  const folder = mkdtempSync(join(tmpdir(), 'kerf-assembly-'));
  try {
    const context = { ...cdk.context, 'aws:cdk:bundling-stacks': [] };
    return Template.fromStack(new KerfStack(new App({ outdir: folder, context }), 'Kerf', { clusters, ...extras }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The template with the bundles of the functions, for tests that read the code. */
export function bundle(clusters: readonly ClusterOptions[]): Assembly {
  const folder = mkdtempSync(join(tmpdir(), 'kerf-assembly-'));
  const app = new App({ outdir: folder, context: cdk.context });
  const template = Template.fromStack(new KerfStack(app, 'Kerf', { clusters }));
  return { template, folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** The properties of every resource of a type, in the order of the template. */
export function propertiesOf(template: Template, type: string): readonly Readonly<Record<string, unknown>>[] {
  const resources: Readonly<Record<string, { readonly Properties?: Readonly<Record<string, unknown>> }>> =
    template.findResources(type);
  return Object.values(resources).map(({ Properties = {} }) => Properties);
}

/** *Shape:* the file that Lambda loads, by the function's name. */
export function bundles({ template, folder }: Assembly): Readonly<Record<string, string>> {
  const manifest = readJson(join(folder, 'Kerf.assets.json'));
  return Object.fromEntries(
    propertiesOf(template, 'AWS::Lambda::Function').map((properties) => {
      const asset = textAt(properties, 'Code', 'S3Key').replace('.zip', '');
      const path = textAt(manifest, 'files', asset, 'source', 'path');
      return [textAt(properties, 'Description').replace('Kerf ', ''), join(folder, path, 'index.mjs')];
    }),
  );
}
