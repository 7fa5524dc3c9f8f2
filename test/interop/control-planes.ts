import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  controllerManagerFlags,
  Daemon,
  findPeers,
  type RunningServer,
  schedulerFlags,
  startKeelson,
  startKube,
} from '../../peers/index.ts';
import { CryptoRandom, LineLogger, RealClock, type Runnable, runTogether } from '../../src/base/index.ts';
import { type Client, connect } from '../../src/client/index.ts';
import { ControllerManager, KUBERNETES_VERSION } from '../../src/cluster/index.ts';
import { exercise } from '../../src/controllers/testing/metrics/exercise.ts';
import { app, type Part } from '../../src/kit/index.ts';
import { nodeAgents } from '../../src/node/index.ts';
import { simulatedBackend } from '../../src/simulated/index.ts';
import { scheduler } from '../../src/scheduler/index.ts';
import { DeploymentLife } from './deployment-life.ts';
import { type ClientReport, runSteps, type StepOutcome } from './outcome.ts';
import type { ServerName } from './results.ts';

/** Controllers and scheduler that are tried on an API server that is not theirs. */
export interface ControlPlanePrograms {
  readonly subject: string;
  readonly version: string;
  /** Why it cannot be tried here, in words to print. */
  whyNot(): string | undefined;
  /** Runs them until the signal aborts; rejects when one ends by itself. */
  run(server: RunningServer, signal: AbortSignal): Promise<void>;
}

const STEP_LIMIT_MS = 90_000;
const EXERCISE_LIMIT_MS = 4 * 60_000;

/** All of them, in the order they run and are reported. */
export const controlPlanes: readonly ControlPlanePrograms[] = [
  {
    subject: 'kube-controller-manager and kube-scheduler',
    version: KUBERNETES_VERSION,
    whyNot: whyNotTheirs,
    run: runTheirs,
  },
  {
    subject: "Keelson's controllers and scheduler",
    version: 'this tree',
    whyNot: () => undefined,
    run: runOurs,
  },
];

/** An API server alone, the programs and a simulated node over HTTP, and the life of a Deployment on that. */
export async function tryControlPlane(
  programs: ControlPlanePrograms,
  serverName: ServerName,
  { bundle }: { readonly bundle: string | undefined },
): Promise<ClientReport> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-interop-'));
  try {
    await using server =
      serverName === 'kube'
        ? await startKube({ folder })
        : await startKeelson({ bundle, folder, flags: ['--controllers=false', '--scheduler=false', '--nodes=0'] });
    const outcomes = await runBeside(
      [
        { run: (signal) => programs.run(server, signal) },
        {
          run: (signal) =>
            runApp(server, { name: 'kubelet', parts: [nodeAgents({ backend: simulatedBackend() })] }, signal),
        },
      ],
      () => liveOn(server),
    );
    return { version: programs.version, outcomes };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function liveOn({ kubeconfig }: RunningServer): Promise<StepOutcome[]> {
  await using client = await connect({ kubeconfig, userAgent: 'interop' });
  const pass = async (seconds: number): Promise<void> => sleep(seconds * 1000);
  return [
    ...(await runSteps(new DeploymentLife(client).steps, STEP_LIMIT_MS)),
    ...(await runSteps({ 'something for every controller': () => exercise({ client, pass }) }, EXERCISE_LIMIT_MS)),
  ];
}

/** Does the work while the programs run, and stops them afterwards; a program that fails is an outcome too. */
async function runBeside(
  programs: readonly Runnable[],
  work: () => Promise<StepOutcome[]>,
): Promise<readonly StepOutcome[]> {
  const stop = new AbortController();
  const running: Promise<StepOutcome> = runTogether(programs, stop.signal).then(
    () => ({ step: 'run', passed: true }),
    (error: unknown) => ({ step: 'run', passed: false, message: String(error) }),
  );
  const outcomes = await work();
  stop.abort();
  return [...outcomes, await running];
}

function whyNotTheirs(): string | undefined {
  const found = findPeers(['kube-controller-manager', 'kube-scheduler']);
  return found.paths === undefined ? found.reason : undefined;
}

/** The real programs, as processes. */
async function runTheirs(server: RunningServer, signal: AbortSignal): Promise<void> {
  const found = findPeers(['kube-controller-manager', 'kube-scheduler']);
  if (found.paths === undefined) throw new Error(found.reason);
  const { paths } = found;
  const start = (name: keyof typeof paths, flags: readonly string[]): Daemon =>
    new Daemon(paths[name], flags, { logPath: join(server.folder, `${name}.log`) });
  await using manager = start('kube-controller-manager', controllerManagerFlags(server));
  await using schedules = start('kube-scheduler', schedulerFlags(server));
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([stopped, manager.ended, schedules.ended]);
  const failure = signal.aborted ? undefined : (manager.failure ?? schedules.failure);
  if (failure !== undefined) throw new Error(failure);
  for (const program of [manager, schedules]) checkForLoops(program.name, await readFile(program.logPath, 'utf8'));
}

/** The same error, this often and over this time, counts as one that a program runs into repeatedly. */
const LOOP = 5;
const LOOP_SECONDS = 20;
/** Autoscalers report each time that metrics are not served. */
const EXPECTED = /resource metric/;

function checkForLoops(program: string, log: string): void {
  const seen = new Map<string, number[]>();
  for (const line of log.split('\n')) {
    const [, hours, minutes, seconds, error] = /^E\d+ (\d+):(\d+):(\d+)\.\d+ +\d+ \S+\] (.*)/.exec(line) ?? [];
    if (error === undefined || EXPECTED.test(error)) continue;
    const at = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    seen.set(error, [...(seen.get(error) ?? []), at]);
  }
  const isLoop = (times: readonly number[]): boolean =>
    times.length >= LOOP && (times.at(-1) ?? 0) - (times[0] ?? 0) >= LOOP_SECONDS;
  const looping = [...seen].find(([, times]) => isLoop(times));
  if (looping !== undefined) throw new Error(`${program} said ${looping[1].length} times: ${looping[0]}`);
}

/** Ours, in this process, over HTTP like anybody else. */
async function runOurs(server: RunningServer, signal: AbortSignal): Promise<void> {
  const key = (name: string): Promise<string> => readFile(join(server.folder, 'pki', name), 'utf8');
  const rootCertificate = await key('ca.crt');
  const lines: string[] = [];
  const log = new LineLogger({ clock: new RealClock(), level: 'warn', write: (line) => void lines.push(line) });
  await using client = await connect({
    kubeconfig: server.kubeconfig,
    userAgent: 'kube-controller-manager',
    log,
    onWarning,
  });
  const manager = new ControllerManager(client, {
    clock: client.clock,
    random: new CryptoRandom(),
    rootCertificate,
    signing: { certificate: rootCertificate, privateKey: await key('ca.key') },
    serviceAccountKey: await key('sa.key'),
  });
  const schedules = {
    run: (scope: AbortSignal) => runApp(server, { name: 'kube-scheduler', parts: [scheduler()] }, scope),
  };
  await runTogether([manager, schedules], signal);
  for (const line of lines) process.stderr.write(line);
  const text = lines.join('').replaceAll(/ failures=\d+/g, '');
  checkForLoops('our controller manager', text.replaceAll(OUR_LINE, 'E0 $1 1 log:1] $2'));
}

/** A line of our log, to be read like one of theirs. */
const OUR_LINE = /^[EW]\d+ (\S+) (.*)$/gm;

/** Kinds that are deprecated are watched all the same. */
const onWarning = (): void => undefined;

async function runApp(
  { kubeconfig }: RunningServer,
  { name, parts }: { readonly name: string; readonly parts: readonly Part[] },
  signal: AbortSignal,
): Promise<void> {
  await using client: Client = await connect({
    kubeconfig,
    userAgent: name,
    log: new LineLogger({ clock: new RealClock(), level: 'warn', write: (line) => process.stderr.write(line) }),
    onWarning,
  });
  await app(name, parts).run(client, signal);
}
