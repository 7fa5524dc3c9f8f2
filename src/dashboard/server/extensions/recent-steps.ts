import type { Client } from '../../../client/index.ts';
import type { RequestList, RequestStep, StepFigures } from '../../protocol.ts';

/** The steps of the requests that the API server keeps, by the names of their stages. */
export interface RecentSteps {
  /** What a step inside a stage was seen to do, by its name: a webhook, a policy, an authorizer. */
  readonly figures: ReadonlyMap<string, StepFigures>;
  /** Who decided authentications, such as `client certificate`, with figures. */
  readonly authenticators: ReadonlyMap<string, StepFigures>;
  readonly authorizers: ReadonlyMap<string, StepFigures>;
}

/** Undefined where the API server keeps none, or the viewer may not see them. */
export async function recentSteps(client: Client, signal: AbortSignal): Promise<RecentSteps | undefined> {
  let list: RequestList;
  try {
    list = (await client.request({ method: 'GET', path: '/keelson/requests', signal })) as RequestList;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  const [steps, authenticators, authorizers] = [new Seen(), new Seen(), new Seen()];
  const visit = (step: RequestStep): void => {
    for (const inner of step.steps ?? []) {
      steps.add(inner.name, inner);
      visit(inner);
    }
  };
  for (const request of list.items)
    for (const stage of request.steps) {
      visit(stage);
      if (stage.name === 'authentication' && stage.by !== undefined)
        authenticators.add(stage.by.split(':', 1)[0] ?? '', stage);
      if (stage.name === 'authorization') for (const inner of stage.steps ?? []) authorizers.add(inner.name, inner);
    }
  return { figures: steps.figures, authenticators: authenticators.figures, authorizers: authorizers.figures };
}

const REFUSED: ReadonlySet<string> = new Set(['refused', 'deny', 'denied']);

/** Validating policies decide by the actions of their binding, such as `Deny, Audit`. */
function isRefusal({ decision }: RequestStep): boolean {
  return decision
    .toLowerCase()
    .split(', ')
    .some((each) => REFUSED.has(each));
}

class Seen {
  readonly #steps = new Map<string, RequestStep[]>();

  add(name: string, step: RequestStep): void {
    const known = this.#steps.get(name);
    if (known === undefined) this.#steps.set(name, [step]);
    else known.push(step);
  }

  get figures(): ReadonlyMap<string, StepFigures> {
    return new Map([...this.#steps].map(([name, steps]) => [name, figuresOf(steps)]));
  }
}

function figuresOf(steps: readonly RequestStep[]): StepFigures {
  const durations = steps.map(({ durationMs }) => durationMs).sort((left, right) => left - right);
  return {
    count: steps.length,
    failed: steps.filter(({ decision }) => decision === 'failed').length,
    refused: steps.filter(isRefusal).length,
    medianMs: durations[Math.floor(durations.length / 2)] ?? 0,
    maxMs: durations.at(-1) ?? 0,
  };
}
