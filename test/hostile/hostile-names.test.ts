// Names from files and flags of others reach code, YAML, charts and shell lines: none of them may leave its quotes.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { transform } from 'esbuild';
import fc from 'fast-check';
import { load, loadAll } from 'js-yaml';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeYaml } from '../../src/api/index.ts';
import { CryptoRandom, RealClock } from '../../src/base/index.ts';
import { typeSource } from '../../src/cli/definitions/type-source.ts';
import { makeAssets } from '../../src/cli/envtest/assets-folder.ts';
import { dockerfile } from '../../src/cli/manifests/dockerfile.ts';
import { helmChart } from '../../src/cli/manifests/helm-chart.ts';
import { helmTemplate } from '../../src/cli/manifests/helm-template.ts';
import { documents } from '../../src/cli/manifests/manifest-file.ts';
import { kubeconfigText, writeKubeconfig } from '../../src/cluster/index.ts';
import type { Definition } from '../../src/kit/index.ts';

const HOSTILE = [
  `'; globalThis.stolen = 1; '`,
  `"; globalThis.stolen = 1; "`,
  '`${globalThis.stolen = 1}`',
  '*/ globalThis.stolen = 1; /*',
  `\\'; globalThis.stolen = 1; //`,
  `x'\n});globalThis.stolen=1;({`,
  '\u2028globalThis.stolen=1\u2029',
  'x: y # z',
  '- a\n- b',
  '---\nkind: Secret\n',
  '{{ .Values.image }}{{- fail "x" }}',
  '{{{{ keelsonMark0x',
  '$(touch stolen)`touch stolen`;touch stolen',
  "'$(touch stolen)'",
  '!!js/function "x"',
  '&a *a',
  '<<',
  'null',
  '%TAG',
  '"\\',
];

function definition(parts: {
  readonly group?: string;
  readonly kind?: string;
  readonly plural?: string;
  readonly version?: string;
  readonly schema?: object;
}): Definition {
  const { group = 'example.dev', kind = 'Widget', plural = 'widgets', version = 'v1', schema = {} } = parts;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [
        { name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } } },
      ],
    },
  };
}

/** Runs the generated module; returns what its values were made with, and what else it did. */
async function run(source: string): Promise<{ readonly made: readonly unknown[]; readonly stolen: unknown }> {
  const { code } = await transform(source, { loader: 'ts', format: 'cjs' });
  const made: unknown[] = [];
  const maker = (names: unknown): unknown => made.push(JSON.parse(JSON.stringify(names)));
  const context: Record<string, unknown> = {
    module: { exports: {} },
    require: () => ({ namespacedKind: maker, clusterKind: maker }),
  };
  runInNewContext(code, context);
  return { made, stolen: context['stolen'] };
}

describe('keelson types', () => {
  test.each(HOSTILE.filter((text) => text !== 'null'))('refuses %j as a name', (text) => {
    for (const field of ['group', 'kind', 'plural', 'version']) {
      expect(() => typeSource([definition({ [field]: text })])).toThrow(/^Cannot make types of definition/);
    }
    expect(() => typeSource([{ ...definition({}), spec: { ...definition({}).spec, names: {} as never } }])).toThrow(
      'spec.names.kind',
    );
  });

  test.each(HOSTILE)('writes %j as a field, a value and a description without running it', async (text) => {
    const field = { type: 'string', enum: [text, { [text]: text }, 9007199254740993n], description: text };
    const schema = {
      description: text,
      properties: { [text]: field, spec: { type: 'object', properties: { [text]: field }, required: [text] } },
    };
    const { made, stolen } = await run(typeSource([definition({ schema })]));
    expect(stolen).toBeUndefined();
    expect(made).toEqual([{ apiVersion: 'example.dev/v1', kind: 'Widget', plural: 'widgets' }]);
  });

  test('any text is one string of the source', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 20 }), async (text) => {
        const schema = {
          properties: {
            spec: { type: 'object', properties: { [text]: { type: 'string', enum: [text], description: text } } },
          },
        };
        const { made } = await run(typeSource([definition({ schema })]));
        expect(made).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });

  test('kinds that are no identifiers get one', async () => {
    const definitions = [
      definition({ kind: 'class', plural: 'classes' }),
      definition({ kind: 'Big-Thing', plural: 'bigthings' }),
      definition({ kind: 'Same', group: '3d.example.dev' }),
      definition({ kind: 'Same', group: 'other.example.dev' }),
      definition({ kind: 'Same', group: 'other.example.net' }),
      definition({ kind: 'KubernetesObject' }),
    ];
    const source = typeSource(definitions);
    const { made } = await run(source);
    expect(made).toHaveLength(definitions.length);
    expect([...source.matchAll(/^export interface (\S+)/gm)].map(([, name]) => name)).toEqual([
      'BigThing',
      'ExampleDevKubernetesObject',
      '_3dSame',
      'OtherSame',
      'OtherExampleNetOtherSame',
      'Class',
    ]);
  });
});

describe.each(HOSTILE)('%j', (text) => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: text, namespace: 'own', annotations: { [text]: text } },
    data: { [text]: text, [`${text}2`]: `${text}\n${text}` },
  };

  test('is one value in manifests', () => {
    expect(loadAll(documents([object, object]))).toEqual([object, object]);
  });

  test('is text in a chart', () => {
    const rendered = helmTemplate(object, { namespace: 'own' })
      .replaceAll('{{ "{{" }}', '\u0001')
      .replaceAll('{{ .Release.Namespace | toJson }}', 'own');
    expect(rendered).not.toContain('{{');
    expect(load(rendered.replaceAll('\u0001', '{{'))).toEqual(object);
    const files = helmChart(
      { namespace: [], definitions: [], access: [object], deployment: [], registrations: [] },
      { name: 'own', namespace: 'own', image: text, replicas: 1, version: text, description: text, entry: [text] },
    );
    const chart = files.find(({ path }) => path === 'Chart.yaml');
    expect(load(chart?.text ?? '')).toMatchObject({ description: text, version: '0.0.0', appVersion: text });
  });

  test('is one word in a Dockerfile', () => {
    const lines = dockerfile({ entry: [text] })
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(14);
    expect(JSON.parse(lines.at(-1)?.replace('ENTRYPOINT ', '') ?? '')).toEqual(['node', text]);
  });

  test('is one name in a kubeconfig, also in one that is there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-names-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const access = {
      name: text,
      server: `https://x/${text}`,
      certificateAuthority: text,
      client: { certificate: text, privateKey: text },
    };
    const path = join(folder, 'config');
    await writeFile(
      path,
      '# mine\nclusters:\n- name: other # kept\n  cluster: {server: "https://o"}\ncurrent-context: other\n',
      { mode: 0o600 },
    );
    await writeKubeconfig(path, access, { clock: new RealClock(), random: new CryptoRandom() });
    for (const written of [kubeconfigText(access), await readFile(path, 'utf8')]) {
      const config = load(written) as {
        clusters: { name: string; cluster: { server: string } }[];
        'current-context': string;
      };
      expect(config['current-context']).toBe(text);
      expect(config.clusters.find(({ name }) => name === text)?.cluster.server).toBe(`https://x/${text}`);
    }
  });

  test('is one word in the programs of envtest', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-names-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await makeAssets(folder, [{ name: 'etcd', command: ['printf', '%s', text], help: 'help' }], undefined);
    expect(execFileSync(join(folder, 'etcd'), { cwd: folder, encoding: 'utf8' })).toBe(text);
  });

  test('is the same after encoding as YAML', () => {
    expect(load(encodeYaml({ [text]: [text, { [text]: text }] }))).toEqual({ [text]: [text, { [text]: text }] });
  });
});
