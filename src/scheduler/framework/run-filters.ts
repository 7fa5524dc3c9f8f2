import type { NodeInfo } from '../cache/node-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import { compareUtf8 } from '../../base/index.ts';
import type { Cycle } from './cycle.ts';
import type { Framework, PluginAt } from './framework.ts';
import type { PostFilterContext } from './plugin.ts';
import { PluginFault } from './plugin-fault.ts';
import { type Rejection, unresolvable } from './rejection.ts';

/** What PreFilter has brought: the nodes that come into question (all unless given) with the plugins that said so, or a no. */
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
      rejection = answer; // the others still have to prepare: a PostFilter may run the filters
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

/** Whether a pod may go to a node, by all plugins that have something to say about it. */
export type NodeFilter = (node: NodeInfo) => Rejection | undefined;

/** The filters for one cycle; to be made after PreFilter. */
export function filtersFor(framework: Framework, cycle: Cycle): NodeFilter {
  const plugins = framework.at('Filter').filter(({ name }) => !cycle.skippedFilters.has(name));
  return (node) => {
    for (let index = 0; index < plugins.length; index++) {
      const plugin = plugins[index] as PluginAt<'Filter'>;
      try {
        const rejection = plugin.filter(cycle, node);
        if (rejection !== undefined) return rejection;
      } catch (cause) {
        throw new PluginFault(`running "${plugin.name}" filter plugin`, cause);
      }
    }
    return undefined;
  };
}

/** Asks the PostFilter plugins until one has done something; what the others said is the message. */
export function runPostFilters(framework: Framework, cycle: Cycle, context: PostFilterContext): string {
  const reasons: string[] = [];
  for (const plugin of framework.at('PostFilter')) {
    const answer = plugin.postFilter(cycle, context);
    if (answer === 'done') return '';
    if (answer.code === 'UnschedulableAndUnresolvable') return answer.reasons.join(', ');
    reasons.push(...answer.reasons);
  }
  return reasons.join(', ');
}

function intersection(left: ReadonlySet<string>, right: ReadonlySet<string>): Set<string> {
  return new Set([...left].filter((name) => right.has(name)));
}

function noNodesMessage(plugins: ReadonlySet<string>): string {
  const names = [...plugins].sort(compareUtf8);
  if (names.length === 1) return `node(s) didn't satisfy plugin ${names[0]}`;
  return `node(s) didn't satisfy plugin(s) [${names.join(' ')}] simultaneously`;
}
