// `npm run interop`: other people's clients on our server, their controllers on our API and ours on theirs.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type RunningServer, startKeelson, startKube, whyNoKube } from '../../peers/index.ts';
import { writeFidelityPage } from '../fidelity/fidelity-page.ts';
import { type InteropClient, interopClients, streamClients } from './clients.ts';
import { accessServersTrial } from './access-servers.ts';
import { accessWebhooksTrial } from './access-webhooks.ts';
import { controlPlanes, tryControlPlane } from './control-planes.ts';
import { extendersTrial } from './extenders.ts';
import { type ExtensionServer, extensionServers } from './extension-servers.ts';
import { IMAGE_POLICY, tryImagePolicy } from './image-policy.ts';
import { kitApiTrial } from './kit-api.ts';
import { kubeletTrial } from './kubelet.ts';
import { startWithNode } from './served-node.ts';
import { type InteropOptions, readOptions, USAGE } from './options.ts';
import { parseReport } from './outcome.ts';
import { interopDocument, reportLine } from './report.ts';
import { type InteropResult, mergeResults, parseResults, printResults, resultOf } from './results.ts';
import { runCommand } from './toolchain.ts';
import type { Trial } from './trial.ts';

const root = resolve(import.meta.dirname, '..', '..');
const resultsPath = join(root, 'docs', 'reference', 'interop.json');
const documentPath = join(root, 'docs', 'reference', 'interop.md');
const cacheFolder = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const cache = process.env['KEELSON_INTEROP'] ?? join(cacheFolder, 'keelson', 'interop');
/** What needs its own server. */
const trials: readonly Trial[] = [kubeletTrial, accessWebhooksTrial, accessServersTrial, kitApiTrial, extendersTrial];
const PROGRAM_LIMIT_MS = 8 * 60_000;

const code = await main(process.argv.slice(2));
process.exitCode ||= code;

async function main(args: readonly string[]): Promise<number> {
  let options: InteropOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const reason = options.server === 'kube' ? whyNoKube(['kube-controller-manager', 'kube-scheduler']) : undefined;
  if (reason !== undefined) {
    console.log(`interop is skipped: ${reason}`);
    return 0;
  }
  const places = { sources: join(import.meta.dirname, 'programs'), cache };
  const clients = interopClients(places);
  const streams = streamClients(places);
  const isWanted = ({ subject }: { readonly subject: string }): boolean => options.only?.test(subject) ?? true;
  const bundle = options.server === 'kube' ? undefined : (options.bundle ?? buildBundle());
  await mkdir(cache, { recursive: true });
  const results = [
    ...(await tryClients(clients.filter(isWanted), options, () => startServer(options, bundle))),
    ...(await tryClients(streams.filter(isWanted), options, () => startWithNode(options.server, bundle))),
    ...(await tryExtensionServers(extensionServers.filter(isWanted), options, bundle)),
    ...(await tryControlPlanes(controlPlanes.filter(isWanted), options, bundle)),
    ...(isWanted({ subject: IMAGE_POLICY }) ? [await tryWebhook(options, bundle)] : []),
    ...(await runTrials(trials.filter(isWanted), options, bundle)),
  ];
  const subjects = [...clients, ...streams, ...extensionServers, ...controlPlanes, ...trials].map(
    ({ subject }) => subject,
  );
  await keep(results, [...subjects, IMAGE_POLICY]);
  return results.every(({ failures }) => failures.length === 0) ? 0 : 1;
}

/** All clients on one server, one after another; each has a namespace of its own. */
async function tryClients(
  clients: readonly InteropClient[],
  options: InteropOptions,
  start: () => Promise<RunningServer>,
): Promise<InteropResult[]> {
  if (clients.length === 0) return [];
  await using server = await start();
  const results: InteropResult[] = [];
  for (const client of clients) {
    const result = await tryClient(client, server, options);
    if (result !== undefined) results.push(result);
  }
  return results;
}

function startServer({ server }: InteropOptions, bundle: string | undefined): Promise<RunningServer> {
  return server === 'kube'
    ? startKube({ parts: ['kube-controller-manager', 'kube-scheduler'] })
    : startKeelson({ bundle });
}

/** Runs the client's program; undefined when it cannot be tried here. */
async function tryClient(
  client: InteropClient,
  { kubeconfig }: RunningServer,
  { server }: InteropOptions,
): Promise<InteropResult | undefined> {
  const { subject } = client;
  const missing = client.whyNot();
  if (missing !== undefined) {
    console.log(`${subject}: skipped, ${missing}`);
    return undefined;
  }
  const program = await client.prepare().catch((error: unknown) => error as Error);
  if (program instanceof Error) {
    console.log(`${subject}: ${program.message}`);
    process.exitCode = 1; // nothing is learnt about the server, but something is wrong
    return undefined;
  }
  const { code, stdout, stderr } = await runCommand(program.command, {
    cwd: program.cwd,
    environment: { KUBECONFIG: kubeconfig },
    limitMs: PROGRAM_LIMIT_MS,
  });
  try {
    return reported(resultOf(subject, server, parseReport(stdout)));
  } catch (error) {
    const message = `${(error as Error).message}; it ended with ${code ?? 'a signal'}: ${stderr.slice(-800)}`;
    return reported(
      resultOf(subject, server, { version: 'unknown', outcomes: [{ step: 'run', passed: false, message }] }),
    );
  }
}

/** Other API servers behind the one that is tried, one after another. */
async function tryExtensionServers(
  extensions: readonly ExtensionServer[],
  options: InteropOptions,
  bundle: string | undefined,
): Promise<InteropResult[]> {
  const results: InteropResult[] = [];
  for (const extension of extensions) {
    const missing = extension.whyNot();
    if (missing === undefined) {
      await using server = await startWithNode(options.server, bundle);
      results.push(reported(resultOf(extension.subject, options.server, await extension.run(server))));
    } else {
      console.log(`${extension.subject}: skipped, ${missing}`);
    }
  }
  return results;
}

async function tryControlPlanes(
  planes: typeof controlPlanes,
  { server }: InteropOptions,
  bundle: string | undefined,
): Promise<InteropResult[]> {
  const results: InteropResult[] = [];
  for (const plane of planes) {
    const missing = plane.whyNot();
    if (missing === undefined) {
      const report = await tryControlPlane(plane, server, { bundle }).catch((error: unknown) => ({
        version: plane.version,
        outcomes: [{ step: 'start', passed: false as const, message: String(error) }],
      }));
      results.push(reported(resultOf(plane.subject, server, report)));
    } else {
      console.log(`${plane.subject}: skipped, ${missing}`);
    }
  }
  return results;
}

async function tryWebhook({ server }: InteropOptions, bundle: string | undefined): Promise<InteropResult> {
  const report = await tryImagePolicy(server, bundle).catch((error: unknown) => ({
    version: 'this tree',
    outcomes: [{ step: 'start', passed: false as const, message: String(error) }],
  }));
  return reported(resultOf(IMAGE_POLICY, server, report));
}

async function runTrials(
  wanted: readonly Trial[],
  { server }: InteropOptions,
  bundle: string | undefined,
): Promise<InteropResult[]> {
  const results: InteropResult[] = [];
  for (const trial of wanted) {
    const missing = trial.whyNot(server);
    if (missing !== undefined) {
      console.log(`${trial.subject}: skipped, ${missing}`);
      continue;
    }
    const report = await trial.try(server, { bundle }).catch((error: unknown) => ({
      version: trial.version,
      outcomes: [{ step: 'start', passed: false as const, message: String(error) }],
    }));
    results.push(reported(resultOf(trial.subject, server, report)));
  }
  return results;
}

function reported(result: InteropResult): InteropResult {
  console.log(reportLine(result));
  return result;
}

async function keep(fresh: readonly InteropResult[], subjects: readonly string[]): Promise<void> {
  if (fresh.length === 0) return;
  const kept = existsSync(resultsPath) ? parseResults(await readFile(resultsPath, 'utf8')) : [];
  const results = mergeResults(kept, fresh, subjects);
  await writeFile(resultsPath, printResults(results));
  await writeFile(documentPath, interopDocument(results));
  await writeFidelityPage();
}

function buildBundle(): string {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('Cannot build the bundle');
  return join(root, 'dist', 'keelson.js');
}
