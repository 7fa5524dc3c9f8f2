import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { build, runCommand, whyMissing } from './toolchain.ts';

/** A client library, with a program of ours that tries it. */
export interface InteropClient {
  readonly subject: string;
  /** Why it cannot be tried here, in words to print. */
  whyNot(): string | undefined;
  /** Builds the program outside the tree if it is missing, and returns how to start it. */
  prepare(): Promise<Program>;
}

export interface Program {
  readonly command: readonly string[];
  readonly cwd: string;
}

export interface Places {
  /** Where the sources of the programs are. */
  readonly sources: string;
  /** Where everything is downloaded and built: a folder of the user's cache. */
  readonly cache: string;
}

const BUILD_LIMIT_MS = 30 * 60_000;

/** All clients, in the order they run and are reported. */
export function interopClients(places: Places): readonly InteropClient[] {
  return [
    goClient('client-go informers', 'clientgo', places),
    goClient('controller-runtime operator', 'controllerruntime', places),
    goClient('controller-runtime webhooks', 'controllerruntimewebhooks', places),
    sampleController(places),
    pythonClient('Python kubernetes', 'kubernetes_client.py', places),
    pythonClient('Python kopf operator', 'kopf_operator.py', places),
    pythonClient('Python kopf webhooks', 'kopf_webhooks.py', places),
    rustClient(places),
    javaClient(places),
    nodeClient(places),
    kitWebhooks(places),
  ];
}

/** Programs that reach into pods, on a server that has a node. */
export function streamClients(places: Places): readonly InteropClient[] {
  return [
    goClient('controller-runtime and client-go streams', 'streams', places),
    pythonClient('Python kubernetes and kopf streams', 'streams.py', places),
    { ...nodeClient(places, 'streams.mjs'), subject: '@kubernetes/client-node streams' },
  ];
}

/** Operators that `keelson explore` looks into; with `--planted` they have a mistake. */
export function exploredClients(places: Places): readonly InteropClient[] {
  return [goClient('controller-runtime', 'explored', places), pythonClient('kopf', 'explored.py', places)];
}

function goClient(subject: string, packageName: string, places: Places): InteropClient {
  const cwd = join(places.sources, 'go');
  const program = join(places.cache, 'go', packageName);
  return {
    subject,
    whyNot: () => whyMissing('go', ['version']),
    prepare: async () => {
      await build(['go', 'build', '-p', '1', '-o', program, `./${packageName}`], { cwd, limitMs: BUILD_LIMIT_MS });
      return { command: [program], cwd: places.cache };
    },
  };
}

/** Kubernetes' own example of an operator, unchanged, and a program that looks at what it does. */
function sampleController(places: Places): InteropClient {
  const cwd = join(places.sources, 'go');
  const module = 'k8s.io/sample-controller';
  const controller = join(places.cache, 'go', 'sample-controller');
  const scenario = goClient('sample-controller', 'samplecontroller', places);
  return {
    ...scenario,
    prepare: async () => {
      await build(['go', 'build', '-p', '1', '-o', controller, module], { cwd, limitMs: BUILD_LIMIT_MS });
      const found = await runCommand(['go', 'list', '-m', '-f', '{{.Dir}}', module], { cwd, limitMs: BUILD_LIMIT_MS });
      const manifests = join(found.stdout.trim(), 'artifacts', 'examples');
      const { command, cwd: folder } = await scenario.prepare();
      return { command: [...command, `-controller=${controller}`, `-manifests=${manifests}`], cwd: folder };
    },
  };
}

function pythonClient(subject: string, file: string, places: Places): InteropClient {
  const cwd = join(places.sources, 'python');
  const environment = join(places.cache, 'python');
  const python = join(environment, 'bin', 'python');
  return {
    subject,
    whyNot: () => whyMissing('python3', ['-m', 'venv', '--help']),
    prepare: async () => {
      await unlessDone(environment, join(cwd, 'requirements.txt'), async () => {
        await build(['python3', '-m', 'venv', '--clear', environment], { cwd, limitMs: BUILD_LIMIT_MS });
        const install = [python, '-m', 'pip', 'install', '--quiet', '--requirement', 'requirements.txt'];
        await build(install, { cwd, limitMs: BUILD_LIMIT_MS });
      });
      return { command: [python, '-B', join(cwd, file)], cwd: places.cache }; // -B: no compiled files in the tree
    },
  };
}

function rustClient(places: Places): InteropClient {
  const cwd = join(places.sources, 'rust');
  const target = join(places.cache, 'rust');
  return {
    subject: 'Rust kube-rs',
    whyNot: () => whyMissing('cargo'),
    prepare: async () => {
      const command = ['cargo', 'build', '--locked', '--quiet', '--jobs', '1', '--target-dir', target];
      await build(command, { cwd, limitMs: BUILD_LIMIT_MS });
      return { command: [join(target, 'debug', 'interop')], cwd: places.cache };
    },
  };
}

function javaClient(places: Places): InteropClient {
  const cwd = join(places.sources, 'java');
  const folder = join(places.cache, 'java');
  const output = join(folder, 'build');
  return {
    subject: 'Java fabric8',
    whyNot: () => whyMissing('java') ?? whyMissing('mvn'),
    prepare: async () => {
      const settings = [`-Dmaven.repo.local=${join(folder, 'repository')}`, `-Dinterop.folder=${output}`];
      await build(['mvn', '-B', '-q', ...settings, 'process-classes'], { cwd, limitMs: BUILD_LIMIT_MS });
      const classPath = [join(output, 'classes'), join(output, 'libraries', '*')].join(delimiter);
      return { command: ['java', '-cp', classPath, 'interop.Main'], cwd: places.cache };
    },
  };
}

function nodeClient(places: Places, file = 'main.mjs'): InteropClient {
  const source = join(places.sources, 'node');
  const cwd = join(places.cache, 'node');
  return {
    subject: '@kubernetes/client-node',
    whyNot: () => whyMissing('npm'),
    prepare: async () => {
      await mkdir(cwd, { recursive: true });
      await cp(source, cwd, { recursive: true });
      await unlessDone(cwd, join(source, 'package-lock.json'), () =>
        build(['npm', 'ci'], { cwd, limitMs: BUILD_LIMIT_MS }),
      );
      return { command: [process.execPath, file], cwd };
    },
  };
}

/** Ours, as a program beside a server that need not be. */
function kitWebhooks(places: Places): InteropClient {
  const root = join(places.sources, '..', '..', '..');
  const program = [join(root, 'scripts', 'run.mjs'), join(places.sources, 'kit', 'webhooks.ts')];
  return {
    subject: "Keelson's webhooks",
    whyNot: () => undefined,
    prepare: async () => ({ command: [process.execPath, ...program], cwd: root }),
  };
}

/** Does something once for each content of a file; whether it was done is noted in the folder. */
async function unlessDone(folder: string, file: string, work: () => Promise<void>): Promise<void> {
  const stamp = join(folder, '.interop-stamp');
  const wanted = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) return;
  await work();
  await writeFile(stamp, wanted);
}
