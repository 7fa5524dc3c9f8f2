import type { HookServers } from '../conversion/hook-server.ts';
import { cleaned } from '../conversion/outcome.ts';

/** One request; its path is below the scenario's own namespace unless it begins with a slash. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
  /** Whom the administrator impersonates. */
  readonly as?: string;
}

/** Requests to a server that runs certain plugins. */
export interface PluginScenario {
  readonly name: string;
  /** Annotations of its namespace. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** What is there beforehand; the answers do not count. */
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
}

export interface Answered {
  readonly code: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
}

export interface RecordedScenario {
  readonly name: string;
  readonly answers: readonly Answered[];
  /** What the image policy webhook was sent, if there is one. */
  readonly reviews: readonly unknown[];
}

/** Whatever requests are sent to. */
export interface ScenarioTarget {
  send(step: Required<Pick<Step, 'method' | 'path'>> & Step): Promise<Answered>;
  readonly hooks: HookServers;
}

export const namespaceOf = ({ name }: PluginScenario): string => `ns-${name}`;

/** What must be there before any scenario is played, so that servers can take notice of it. */
export async function prepare(scenario: PluginScenario, target: ScenarioTarget): Promise<void> {
  const metadata = { name: namespaceOf(scenario), annotations: scenario.annotations };
  await must(target, { method: 'POST', path: '/api/v1/namespaces', body: { metadata } });
  for (const step of scenario.before ?? []) await must(target, placed(step, scenario));
}

async function must(target: ScenarioTarget, step: Step): Promise<void> {
  const { code, body } = await target.send(step);
  if (code >= 400) throw new Error(`Cannot prepare ${step.method} ${step.path}: ${JSON.stringify(body)}`);
}

export async function play(scenario: PluginScenario, target: ScenarioTarget): Promise<RecordedScenario> {
  const { hooks } = target;
  const received = hooks.received.get(HOOK)?.length ?? 0;
  const clean = <T>(body: T): T =>
    cleaned({ code: 0, body }, { scenario: { name: HOOK }, hooks, group: 'no group' }).body as T;
  const answers: Answered[] = [];
  for (const step of scenario.steps) {
    const { code, body, warnings } = await target.send(placed(step, scenario));
    const text = JSON.stringify(clean(body)).replaceAll(/\bg-[a-z0-9]{5}\b/g, 'g-NAME');
    answers.push({ code, body: JSON.parse(text) as unknown, warnings });
  }
  const reviews: readonly unknown[] = hooks.received.get(HOOK)?.slice(received) ?? [];
  return { name: scenario.name, answers, reviews: clean(reviews) };
}

/** The path of the webhook that is asked about images. */
export const HOOK = 'images';

function placed(step: Step, scenario: PluginScenario): Step {
  return step.path.startsWith('/')
    ? step
    : { ...step, path: `/api/v1/namespaces/${namespaceOf(scenario)}/${step.path}` };
}
