import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';

const MODULE = 'k8s.io/pod-security-admission@v0.36.3';

/** A pod that upstream publishes as one that a level in a version lets pass, or not. */
export interface Fixture {
  /** `restricted/v1.34/fail/hostports0`, which is how recordings call it. */
  readonly name: string;
  readonly level: string;
  readonly version: string;
  readonly mustPass: boolean;
  readonly pod: { readonly metadata: object; readonly spec: object };
}

/** Where the fixtures are, or why they cannot be read. They come with the Go module and are not copied. */
export function fixturesFolder(): { readonly folder: string } | { readonly reason: string } {
  const cache = process.env['GOMODCACHE'] ?? join(process.env['GOPATH'] ?? join(homedir(), 'go'), 'pkg', 'mod');
  const folder = join(cache, MODULE, 'test', 'testdata');
  return existsSync(folder) ? { folder } : { reason: `no ${MODULE} in Go's module cache (go mod download ${MODULE})` };
}

export function readFixtures(folder: string): Fixture[] {
  return ['baseline', 'restricted'].flatMap((level) =>
    readdirSync(join(folder, level)).flatMap((version) =>
      ['pass', 'fail'].flatMap((outcome) => {
        const within = join(folder, level, version, outcome);
        return readdirSync(within).map((file) => ({
          name: [level, version, outcome, file.replace('.yaml', '')].join('/'),
          level,
          version,
          mustPass: outcome === 'pass',
          pod: load(readFileSync(join(within, file), 'utf8')) as Fixture['pod'],
        }));
      }),
    ),
  );
}

/** What a server says of a fixture as a pod and as the template of a Deployment. */
export interface Verdict {
  readonly fixture: string;
  readonly pod: Said;
  readonly deployment: Said;
}

interface Said {
  readonly code: number;
  readonly message?: string;
  readonly warnings: readonly string[];
}

export interface Reply {
  readonly code: number;
  readonly body: { readonly message?: unknown };
  readonly warnings: readonly string[];
}

export type Send = (path: string, body: object) => Promise<Reply>;

/** A namespace that enforces a level in a version. */
export function namespaceOf({ level, version }: Pick<Fixture, 'level' | 'version'>): {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
} {
  const labels = {
    'pod-security.kubernetes.io/enforce': level,
    'pod-security.kubernetes.io/enforce-version': version,
    'pod-security.kubernetes.io/warn': level,
    'pod-security.kubernetes.io/warn-version': version,
  };
  return { metadata: { name: `${level}-${version.replace('.', '-')}`, labels } };
}

/** Asks a server about a fixture without leaving anything there. */
export async function verdictOn(fixture: Fixture, send: Send): Promise<Verdict> {
  const { pod } = fixture;
  const within = `namespaces/${namespaceOf(fixture).metadata.name}`;
  const labels = { test: 'true' };
  const template = { metadata: { ...pod.metadata, name: undefined, labels }, spec: pod.spec };
  const deployment = { metadata: { name: 'test' }, spec: { selector: { matchLabels: labels }, template } };
  const asPod = { metadata: { ...pod.metadata, name: 'test' }, spec: pod.spec };
  return {
    fixture: fixture.name,
    pod: saidIn(await send(`/api/v1/${within}/pods?dryRun=All`, asPod)),
    deployment: saidIn(await send(`/apis/apps/v1/${within}/deployments?dryRun=All`, deployment)),
  };
}

function saidIn({ code, body, warnings }: Reply): Said {
  return { code, ...(typeof body.message === 'string' ? { message: body.message } : {}), warnings };
}
