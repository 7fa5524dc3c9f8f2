import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Diagnosis } from './diagnosis.ts';
import { type Extender, EXTENDERS, MAX_EXTENDER_SCORE } from './extender.ts';
import { MAX_NODE_SCORE, type StepOptions } from './plugin.ts';
import { unresolvable, unschedulable } from './rejection.ts';

interface Asked extends StepOptions {
  readonly nodes: readonly NodeInfo[];
}

/** Calls the extenders in order; each sees the nodes that those before it accepted. */
export async function filterByExtenders(
  extenders: readonly Extender[],
  pod: PodInfo,
  { nodes, diagnosis, signal }: Asked & { readonly diagnosis: Diagnosis },
): Promise<readonly NodeInfo[]> {
  let left = nodes;
  for (const extender of extenders) {
    if (left.length === 0) break;
    try {
      left = await filterByOne(extender, pod, { nodes: left, diagnosis, signal });
    } catch (error) {
      if (extender.isIgnorable !== true) throw error;
    }
  }
  if (left.length < nodes.length) diagnosis.unschedulablePlugins.add(EXTENDERS);
  return left;
}

async function filterByOne(
  extender: Extender,
  pod: PodInfo,
  { nodes, diagnosis, signal }: Asked & { readonly diagnosis: Diagnosis },
): Promise<readonly NodeInfo[]> {
  const verdict = await extender.filter?.(pod, nodes, { signal });
  if (verdict === undefined) return nodes;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const left = verdict.nodes.map((name) => {
    const node = byName.get(name);
    if (node !== undefined) return node;
    throw new Error(
      `extender "${extender.name}" claims a filtered node "${name}" which is not found in the input node list`,
    );
  });
  const by = { extender: extender.name };
  for (const [name, reason] of verdict.failed ?? []) diagnosis.reject(name, { ...unschedulable('', reason), ...by });
  for (const [name, reason] of verdict.unresolvable ?? [])
    diagnosis.reject(name, { ...unresolvable('', reason), ...by });
  return left;
}

/** Adds the scores of all extenders, which are called concurrently, to those of the plugins. */
export async function addExtenderScores(
  extenders: readonly Extender[],
  pod: PodInfo,
  { nodes, scores, signal }: Asked & { readonly scores: Float64Array },
): Promise<void> {
  const add = async ({ weight = 1, prioritize }: Extender, extender: Extender): Promise<void> => {
    const given = await prioritize?.call(extender, pod, nodes, { signal }).catch(() => undefined); // the other scores decide
    if (given === undefined) return;
    for (const [index, { name }] of nodes.entries())
      scores[index]! += (given.get(name) ?? 0) * weight * (MAX_NODE_SCORE / MAX_EXTENDER_SCORE);
  };
  await Promise.all(extenders.map((extender) => add(extender, extender)));
}

/** Binds by the first extender that can bind; false when there is none, or only ignorable ones that failed. */
export async function bindByExtender(
  extenders: readonly Extender[],
  pod: PodInfo,
  { nodeName, signal }: StepOptions & { readonly nodeName: string },
): Promise<boolean> {
  for (const extender of extenders) {
    if (extender.bind === undefined) continue;
    try {
      await extender.bind(pod, nodeName, { signal });
      return true;
    } catch (error) {
      if (extender.isIgnorable !== true) throw error;
    }
  }
  return false;
}
