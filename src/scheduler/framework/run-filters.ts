import { compareUtf8 } from '../../base/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { NominatedPods } from '../cache/nominated-pods.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { Cycle } from './cycle.ts';
import { PluginFault, reasonFor } from './fit-error.ts';
import type { Framework, PluginAt } from './framework.ts';
import type { NodeTrial, Nomination, Plugin, PostFilterAnswer, PostFilterContext } from './plugin.ts';
import { checkRejection, type Rejection, unresolvable } from './rejection.ts';

/**
 * The result of PreFilter: the candidate nodes (default: all) with the plugins that restricted them, or a rejection.
 */
export interface PreFilterOutcome {
  readonly rejection?: Rejection;
  readonly nodes?: ReadonlySet<string>;
  readonly plugins: ReadonlySet<string>;
}

export function runPreFilters(framework: Framework, cycle: Cycle, snapshot: Snapshot): PreFilterOutcome {
  const plugins = new Set<string>();
  let nodes: ReadonlySet<string> | undefined;
  let rejection: Rejection | undefined;
  for (const plugin of framework.at('PreFilter')) {
    const answer = asked(plugin, cycle, snapshot);
    if (answer === 'skip') cycle.skippedFilters.add(plugin.name);
    else if (answer === undefined) continue;
    else if ('code' in answer) {
      if (answer.code !== 'Unschedulable') return { rejection: answer, plugins: new Set() };
      rejection = answer; // the others still have to prepare, because a PostFilter may run the filters
    } else {
      plugins.add(plugin.name);
      nodes = nodes === undefined ? answer.nodes : intersection(nodes, answer.nodes);
      if (nodes.size === 0) return { rejection: unresolvable('', noNodesMessage(plugins)), nodes, plugins };
    }
  }
  return { rejection, nodes, plugins };
}

function asked(plugin: PluginAt<'PreFilter'>, cycle: Cycle, snapshot: Snapshot): ReturnType<typeof plugin.preFilter> {
  try {
    return plugin.preFilter(cycle, snapshot);
  } catch (cause) {
    throw new PluginFault(`running PreFilter plugin "${plugin.name}"`, cause);
  }
}

/** Runs all Filter plugins that apply to the pod on a node. */
export type NodeFilter = (node: NodeInfo) => Rejection | undefined;

/**
 * The filters for one cycle; call it after PreFilter.
 *
 * A node with nominated pods of the same or a higher priority must pass twice: with them, so that the pod does not take
 * their room, and without them, because they may end up elsewhere.
 */
export function filtersFor(framework: Framework, cycle: Cycle): NodeFilter {
  return nodeFilter(cycle, new Trials(framework, cycle));
}

function nodeFilter(cycle: Cycle, trials: Trials): NodeFilter {
  const { nominatedPods } = trials;
  if (nominatedPods.size === 0) return (node) => trials.filter(cycle, node);
  const { uid, priority } = cycle.pod;
  return (node) => {
    const nominated = nominatedPods.on(node.name);
    if (nominated.length === 0) return trials.filter(cycle, node);
    const others = nominated.filter((pod) => pod.priority >= priority && pod.uid !== uid);
    if (others.length === 0) return trials.filter(cycle, node);
    const trial = new PluginTrial(trials, cycle, node);
    for (const pod of others) trial.add(pod);
    return trial.filterAsItIs() ?? trials.filter(cycle, node);
  };
}

/** The plugins that take part in the trials of one cycle; create it after PreFilter. */
export class Trials {
  readonly nominatedPods: NominatedPods;
  readonly #filters: readonly PluginAt<'Filter'>[];
  /** The plugins with `addPod` and `removePod`. */
  readonly hooks: readonly Plugin[];

  constructor(framework: Framework, { skippedFilters }: Cycle) {
    const isAsked = ({ name }: Plugin): boolean => !skippedFilters.has(name);
    this.nominatedPods = framework.nominatedPods;
    this.#filters = framework.at('Filter').filter(isAsked);
    this.hooks = framework
      .at('PreFilter')
      .filter((plugin) => isAsked(plugin) && (plugin.addPod ?? plugin.removePod) !== undefined);
  }

  /** Runs the filters without the nominated pods. */
  filter(cycle: Cycle, node: NodeInfo): Rejection | undefined {
    for (let index = 0; index < this.#filters.length; index++) {
      const plugin = this.#filters[index] as PluginAt<'Filter'>;
      try {
        const rejection = plugin.filter(cycle, node);
        if (rejection !== undefined) return checkRejection(rejection, plugin.name);
      } catch (cause) {
        throw new PluginFault(`running "${plugin.name}" filter plugin`, cause);
      }
    }
    return undefined;
  }
}

/** A trial that keeps the plugins' state in step with the pods on the copy of the node. */
export class PluginTrial implements NodeTrial {
  readonly node: NodeInfo;
  readonly #trials: Trials;
  readonly #cycle: Cycle;
  #filter: NodeFilter | undefined;

  constructor(trials: Trials, cycle: Cycle, node: NodeInfo) {
    this.#trials = trials;
    this.#cycle = trials.hooks.length === 0 ? cycle : cycle.clone();
    this.node = node.clone();
  }

  add(pod: PodInfo): void {
    this.node.addPod(pod);
    this.#tell('AddPod', (plugin) => plugin.addPod?.(this.#cycle, pod, this.node));
  }

  remove(pod: PodInfo): void {
    this.node.removePod(pod.uid);
    this.#tell('RemovePod', (plugin) => plugin.removePod?.(this.#cycle, pod, this.node));
  }

  filter(): Rejection | undefined {
    this.#filter ??= nodeFilter(this.#cycle, this.#trials);
    return this.#filter(this.node);
  }

  filterAsItIs(): Rejection | undefined {
    return this.#trials.filter(this.#cycle, this.node);
  }

  #tell(what: string, tell: (plugin: Plugin) => void): void {
    for (const plugin of this.#trials.hooks) {
      try {
        tell(plugin);
      } catch (cause) {
        throw new PluginFault(`running ${what} on PreFilter plugin "${plugin.name}"`, cause);
      }
    }
  }
}

/** The result of the PostFilter plugins: a message for users, and the nomination (undefined: unchanged). */
export interface PostFilterOutcome extends Partial<Nomination> {
  readonly message: string;
}

/**
 * Calls the PostFilter plugins until one succeeds; the messages of the others are joined. Asynchronous only if a plugin
 * is.
 */
export function runPostFilters(
  framework: Framework,
  cycle: Cycle,
  context: Omit<PostFilterContext, 'trial'>,
): PostFilterOutcome | Promise<PostFilterOutcome> {
  const plugins = framework.at('PostFilter');
  const trials = new Trials(framework, cycle);
  const whole = { ...context, trial: (node: NodeInfo): NodeTrial => new PluginTrial(trials, cycle, node) };
  const reasons: string[] = [];
  let nominatedNodeName = plugins.length === 0 ? '' : undefined;
  const conclude = (answer: PostFilterAnswer): PostFilterOutcome | undefined => {
    if (answer === 'done') return { message: '' };
    if (!('code' in answer)) return { message: '', ...answer };
    if (answer.code === 'UnschedulableAndUnresolvable')
      return { message: answer.reasons.join(', '), nominatedNodeName: answer.nominatedNodeName };
    reasons.push(...answer.reasons);
    nominatedNodeName = answer.nominatedNodeName ?? nominatedNodeName;
    return undefined;
  };
  // a failing plugin does not change that the pod fits nowhere
  const failed = (cause: unknown): PostFilterOutcome => ({ message: reasonFor(cause) });
  const askFrom = (start: number): PostFilterOutcome | Promise<PostFilterOutcome> => {
    for (let index = start; index < plugins.length; index++) {
      const answer = (plugins[index] as PluginAt<'PostFilter'>).postFilter(cycle, whole);
      if (answer instanceof Promise) return answer.then((late) => conclude(late) ?? askFrom(index + 1)).catch(failed);
      const outcome = conclude(answer);
      if (outcome !== undefined) return outcome;
    }
    return { message: reasons.join(', '), nominatedNodeName };
  };
  try {
    return askFrom(0);
  } catch (cause) {
    return failed(cause);
  }
}

function intersection(left: ReadonlySet<string>, right: ReadonlySet<string>): Set<string> {
  return new Set([...left].filter((name) => right.has(name)));
}

function noNodesMessage(plugins: ReadonlySet<string>): string {
  const names = [...plugins].sort(compareUtf8);
  if (names.length === 1) return `node(s) didn't satisfy plugin ${names[0]}`;
  return `node(s) didn't satisfy plugin(s) [${names.join(' ')}] simultaneously`;
}
