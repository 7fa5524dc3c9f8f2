import type { Pod } from '../../client/index.ts';
import { WebhookRequestError } from '../webhooks/index.ts';
import type { ExtenderContext, ExtenderOptions, FilterAnswer } from './extender-options.ts';
import { type NodeView, type PodView, podView } from './extender-views.ts';

interface Asked extends ExtenderContext {
  /** Undefined for a node that is not in the app's cache. */
  nodeOf(name: string): NodeView | undefined;
}

const MAX_SCORE = 10;
const UNKNOWN = 'node(s) the extender has not heard of yet';

/** Translates a scheduler's requests into calls of an extender's functions, and their results into answers. */
export class ExtenderAnswers {
  readonly #options: ExtenderOptions;

  constructor(options: ExtenderOptions) {
    this.#options = options;
  }

  answer(verb: string, args: unknown, asked: Asked): Promise<unknown> {
    const members = objectOf(args, 'the question');
    switch (verb) {
      case 'filter':
        return this.#filter(members, asked);
      case 'prioritize':
        return this.#prioritize(members, asked);
      case 'preempt':
        return this.#preempt(members, asked);
      case 'bind':
        return this.#bind(members, asked);
      default:
        throw new WebhookRequestError(404, `an extender is not asked "${verb}"`);
    }
  }

  async #filter(args: Members, { nodeOf, ...context }: Asked): Promise<object> {
    const pod = podOf(args);
    const NodeNames: string[] = [];
    const FailedNodes: Record<string, string> = {};
    const FailedAndUnresolvableNodes: Record<string, string> = {};
    for (const name of namesOf(args)) {
      const node = nodeOf(name);
      const why: FilterAnswer = node === undefined ? UNKNOWN : await this.#options.filter?.(pod, node, context);
      if (why === undefined) NodeNames.push(name);
      else if (typeof why === 'string') FailedNodes[name] = why;
      else FailedAndUnresolvableNodes[name] = why.never;
    }
    return { NodeNames, FailedNodes, FailedAndUnresolvableNodes, Error: '' };
  }

  async #prioritize(args: Members, { nodeOf, ...context }: Asked): Promise<object[]> {
    const pod = podOf(args);
    const scores: object[] = [];
    for (const Host of namesOf(args)) {
      const node = nodeOf(Host);
      if (node === undefined) continue;
      const score = (await this.#options.score?.(pod, node, context)) ?? 0;
      if (!(score >= 0 && score <= MAX_SCORE))
        throw new Error(`Cannot score node "${Host}": scores go from 0 to ${MAX_SCORE}, got ${score}`);
      scores.push({ Host, Score: Math.round(score) });
    }
    return scores;
  }

  async #preempt(args: Members, { nodeOf, ...context }: Asked): Promise<object> {
    const pod = podOf(args);
    const kept: Record<string, object> = {};
    for (const [name, victims] of victimsOf(args)) {
      const node = nodeOf(name);
      if (node === undefined) continue;
      const chosen = node.pods.filter(({ uid }) => victims.uids.has(uid));
      const answer = await this.#options.preempt?.(pod, withVictims(node, chosen), context);
      if (answer === false || answer === undefined) continue;
      const pods = answer === true ? [...victims.uids] : answer.map(({ uid }) => uid);
      kept[name] = { Pods: pods.map((UID) => ({ UID })), NumPDBViolations: victims.budgetViolations };
    }
    return { NodeNameToMetaVictims: kept };
  }

  async #bind(args: Members, { signal, client }: Asked): Promise<object> {
    const { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node } = args;
    const [pod, target] = [{ name: textOf(name), namespace: textOf(namespace), uid: textOf(uid) }, textOf(node)];
    await this.#options.bind?.(pod, target, { signal, client });
    return { Error: '' };
  }
}

type Members = Readonly<Record<string, unknown>>;

function withVictims(node: NodeView, victims: readonly PodView[]): NodeView & { readonly victims: readonly PodView[] } {
  return {
    ...node,
    get pods() {
      return node.pods;
    },
    victims,
  };
}

function podOf({ Pod: pod }: Members): PodView {
  return podView(objectOf(pod, 'Pod') as Pod);
}

/** The names in the request, or those of its nodes. */
function namesOf({ NodeNames: names, Nodes: nodes }: Members): readonly string[] {
  if (Array.isArray(names)) return names.map(textOf);
  const { items = [] } = objectOf(nodes ?? {}, 'Nodes');
  if (!Array.isArray(items)) throw new WebhookRequestError(400, 'Nodes.items must be a list');
  return items.map((item) => textOf(objectOf(objectOf(item, 'a node').metadata, 'metadata').name));
}

function victimsOf({ NodeNameToMetaVictims: brief, NodeNameToVictims: whole }: Members) {
  return Object.entries(objectOf(brief ?? whole ?? {}, 'victims')).map(([node, value]) => {
    const { Pods: pods, NumPDBViolations: violations } = objectOf(value, 'victims');
    const list = Array.isArray(pods) ? pods : [];
    const uids = list.map((pod) => {
      const { UID: uid, metadata } = objectOf(pod, 'a victim');
      return textOf(uid ?? objectOf(metadata, 'metadata').uid);
    });
    return [node, { uids: new Set(uids), budgetViolations: typeof violations === 'number' ? violations : 0 }] as const;
  });
}

function objectOf(value: unknown, what: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new WebhookRequestError(400, `${what} must be an object`);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new WebhookRequestError(400, `expected a name, got ${JSON.stringify(value)}`);
}
