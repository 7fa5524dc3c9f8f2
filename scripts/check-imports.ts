// The import rule: arrows point down only, a folder is entered through its door, and no file imports itself through
// others, for types or not. Exits 1 with a line a breach.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

const source = join(import.meta.dirname, '..', 'src');

/** What each folder of src/ may import, besides itself. Server side and client side meet only in layers 0, 4 and 5. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  base: [],
  wire: ['base'],
  api: ['base', 'wire'],
  cel: ['base', 'api'],
  crd: ['base', 'api', 'cel'],
  store: ['base', 'wire', 'api', 'system'],
  client: ['base', 'wire', 'api'],
  apiserver: ['base', 'wire', 'api', 'cel', 'crd', 'store'],
  kit: ['base', 'wire', 'api', 'cel', 'crd', 'client'],
  resources: ['base', 'api', 'cel', 'crd', 'store', 'apiserver'],
  apiextensions: ['base', 'wire', 'api', 'cel', 'crd', 'store', 'apiserver'],
  access: ['base', 'wire', 'api', 'cel', 'store', 'apiserver'],
  fairness: ['base', 'wire', 'api', 'cel', 'store', 'apiserver'],
  admission: ['base', 'wire', 'api', 'cel', 'crd', 'store', 'apiserver'],
  encryption: ['base', 'wire', 'api', 'store', 'apiserver'],
  aggregator: ['base', 'wire', 'api', 'cel', 'store', 'apiserver'],
  proxy: ['base', 'wire', 'api', 'apiserver'],
  controllers: ['base', 'wire', 'api', 'client', 'kit'],
  scheduler: ['base', 'wire', 'api', 'cel', 'client', 'kit'],
  node: ['base', 'wire', 'api', 'client', 'kit'],
  assignment: ['base', 'api', 'client', 'node'],
  simulated: ['base', 'wire', 'api', 'client', 'kit', 'node', 'assignment'],
  cri: ['base', 'wire', 'node'],
  system: ['base'],
  linux: [
    'base',
    'wire',
    'api',
    'client',
    'kit',
    'node',
    'assignment',
    'cri',
    'system',
    'plugins',
    'csi',
    'devices',
    'flexvolume',
  ],
  processes: ['base', 'wire', 'api', 'client', 'kit', 'node', 'simulated'],
  network: ['base', 'wire', 'api', 'client', 'kit'],
  cni: ['base', 'api'],
  credentials: ['base'],
  broker: ['base', 'wire', 'kit', 'system'],
  plugins: ['base', 'wire', 'system'],
  csi: ['base', 'wire', 'api', 'client', 'kit', 'system', 'plugins', 'node', 'controllers'],
  devices: ['base', 'wire', 'api', 'client', 'kit', 'system', 'plugins', 'node'],
  flexvolume: ['base', 'api', 'client', 'kit', 'system', 'node', 'controllers'],
  conform: ['base', 'wire', 'api', 'client', 'kit', 'system', 'broker', 'cni', 'csi', 'devices', 'plugins'],
  cluster: [
    'base',
    'wire',
    'api',
    'cel',
    'crd',
    'store',
    'client',
    'apiserver',
    'kit',
    'resources',
    'apiextensions',
    'access',
    'fairness',
    'admission',
    'encryption',
    'aggregator',
    'proxy',
    'controllers',
    'scheduler',
    'node',
    'simulated',
    'assignment',
    'cri',
    'linux',
    'processes',
    'network',
    'cni',
    'csi',
    'system',
    'plugins',
    'devices',
    'flexvolume',
  ],
  cli: [
    'base',
    'api',
    'cel',
    'crd',
    'store',
    'client',
    'kit',
    'cluster',
    'cni',
    'conform',
    'dashboard',
    'testing',
    'scheduler',
  ],
  testing: ['base', 'wire', 'api', 'store', 'client', 'kit', 'cluster'],
  dashboard: ['base', 'wire', 'api', 'client'],
};

/**
 * Smaller doors: of `api` without the tables of all types, of the others without what an API server alone does not need. `wire` has one
 * for each protocol and none for all.
 */
const smallDoors = new Set([
  'api/client.ts',
  'api/meaning/index.ts',
  'api/values/index.ts',
  'api/yaml/yaml-json.ts',
  'cli/flags.ts',
  'client/manifests/index.ts',
  'controllers/volume-sidecars/index.ts',
  'cluster/programs/apiserver/index.ts',
  'cluster/programs/index.ts',
  'cluster/server-only.ts',
  'dashboard/server/index.ts',
  'csi/protocol/csi-v1.ts',
  'flexvolume/controller/index.ts',
  'node/server/index.ts',
  'resources/core/pod-manifests.ts',
  'scheduler/why/scheduling-attempts.ts',
  'simulated/assigned.ts',
  'wire/certificates/index.ts',
  'wire/connections/index.ts',
  'wire/dns/index.ts',
  'wire/grpc/index.ts',
  'wire/http/index.ts',
  'wire/http2/index.ts',
  'wire/kms/index.ts',
  'wire/listen/index.ts',
  'wire/protobuf/index.ts',
  'wire/remote-command/index.ts',
  'wire/spdy/index.ts',
  'wire/websocket/index.ts',
]);

/** Run-time dependencies; everything else comes from Node. */
const packages = new Set(['js-yaml', 're2js']);
const testPackages = new Set([
  'vitest',
  'fast-check',
  '@bufbuild/cel-spec',
  '@bufbuild/protobuf',
  '@bufbuild/protobuf/wkt',
  'zod',
  'valibot',
  '@valibot/to-json-schema',
  'typebox',
  'arktype',
  ...packages,
]);

/** What the dashboard's page is bundled with; browsers load it, so nothing of Node.js and nothing else of src/ but the types of its protocol. */
const pagePackages =
  /^(preact(\/hooks)?|@preact\/signals|@codemirror\/[a-z-]+|@lezer\/highlight|@xterm\/(xterm|addon-fit)(\/.*)?|js-yaml)$/;
const PAGE = 'dashboard/page/';

const breaches: string[] = [];
/** By file: the files of src/ that it imports. */
const imports = new Map<string, readonly string[]>();
for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const targets = importsOf(await readFile(path, 'utf8'));
  for (const target of targets) check(path, target);
  imports.set(
    path,
    targets.filter((target) => target.startsWith('.')).map((target) => resolve(dirname(path), target)),
  );
}
for (const circle of circles())
  breaches.push(`import circle: ${circle.map((path) => relative(source, path)).join(' → ')}`);
for (const breach of breaches) console.error(breach);
console.log(`import rule: ${breaches.length === 0 ? 'kept' : `${breaches.length} breaches`}`);
process.exit(breaches.length === 0 ? 0 : 1);

/** One import cycle for each file that is on one and was not reported before. */
function circles(): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}

function importsOf(text: string): string[] {
  const pattern = /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s+'([^']+)'|import\('([^']+)'\)/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? '');
}

function check(path: string, target: string): void {
  const place = relative(source, path);
  const isTest = /\.test\.ts$|\/testing\//.test(place);
  if (place.startsWith(PAGE)) return checkPage(path, target);
  if (!target.startsWith('.')) {
    const known = isTest ? testPackages : packages;
    if (!target.startsWith('node:') && !known.has(target))
      breaches.push(`src/${place}: package "${target}" is not allowed`);
    return;
  }
  const folder = place.split('/')[0] ?? '';
  const to = relative(source, resolve(dirname(path), target));
  const toFolder = to.split('/')[0] ?? '';
  if (to.startsWith('..')) {
    breaches.push(`src/${place}: leaves src/ for "${target}"`);
  } else if (to.startsWith(PAGE)) {
    breaches.push(`src/${place}: only the build takes the dashboard's page`);
  } else if (toFolder !== folder) {
    if (!(allowed[folder] ?? []).includes(toFolder) && !isTest)
      breaches.push(`src/${place}: ${folder} may not import ${toFolder}`);
    const isTestSupport = isTest && to.split('/').includes('testing'); // what tests of one folder lend to those of others
    if (to !== `${toFolder}/index.ts` && !to.startsWith('api/types/') && !smallDoors.has(to) && !isTestSupport) {
      breaches.push(`src/${place}: enters ${toFolder} by "${to}" instead of its door`);
    }
  }
}

function checkPage(path: string, target: string): void {
  const place = relative(source, path);
  const to = relative(source, resolve(dirname(path), target));
  const isTest = place.endsWith('.test.ts');
  const isAllowed = target.startsWith('.')
    ? to.startsWith(PAGE) || to === 'dashboard/protocol.ts'
    : pagePackages.test(target) ||
      (isTest && (target === 'vitest' || target === 'fast-check' || target.startsWith('node:')));
  if (!isAllowed) breaches.push(`src/${place}: the dashboard's page may not import "${target}"`);
}
