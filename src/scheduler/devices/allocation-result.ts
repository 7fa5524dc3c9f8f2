import type { DeepReadonly } from '../../base/index.ts';
import type { Node, Observed } from '../../client/index.ts';
import type { NodeSelector, NodeSelectorRequirement } from '../../api/types/core/v1.d.ts';
import type { DeviceAllocationConfiguration } from '../../api/types/resource/v1.d.ts';
import type { Amounts } from './capacity.ts';
import type { Allocation, Claim, Wanted } from './claim.ts';
import type { Chosen } from './search.ts';

type Result = NonNullable<NonNullable<Allocation['devices']>['results']>[number];
type Requirement = DeepReadonly<NodeSelectorRequirement>;

/** Builds the allocation for the claim's status. Share identifiers are assigned after the node was chosen. */
export function allocationResult(claim: Claim, chosen: readonly Chosen[], node: Observed<Node>): Allocation {
  const config = configOf(claim, new Map(chosen.map(({ wanted }) => [wanted.request, wanted])));
  const nodeSelector = nodeSelectorOf(chosen, node.metadata.name);
  return {
    devices: { results: chosen.map(resultOf), ...(config.length === 0 ? {} : { config }) },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

/** Placeholder for a share identifier until the allocation is made. */
export const PENDING_SHARE_ID = '';

function resultOf({ wanted, candidate, taken }: Chosen): Result {
  const { device, pool } = candidate;
  const { bindingConditions, bindingFailureConditions } = device;
  return {
    request: wanted.fullName,
    driver: pool.driver,
    pool: pool.name,
    device: device.name,
    ...(wanted.hasAdminAccess ? { adminAccess: true } : {}),
    ...(wanted.tolerations === undefined ? {} : { tolerations: wanted.tolerations }),
    ...(bindingConditions === undefined ? {} : { bindingConditions }),
    ...(bindingFailureConditions === undefined ? {} : { bindingFailureConditions }),
    ...(taken === undefined ? {} : { shareID: PENDING_SHARE_ID }),
    ...(taken === undefined || taken.size === 0 ? {} : { consumedCapacity: amountTexts(taken) }),
  };
}

function amountTexts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]));
}

/** Configuration of the classes, each class once, followed by the claim's configuration for the chosen requests. */
function configOf(
  claim: Claim,
  chosen: ReadonlyMap<string, Wanted>,
): readonly DeepReadonly<DeviceAllocationConfiguration>[] {
  const { requests = [], config = [] } = claim.spec.devices ?? {};
  const byClass = new Map<string, { readonly class: Wanted['class']; readonly requests: string[] }>();
  for (const { name } of requests) {
    const wanted = chosen.get(name);
    if (wanted === undefined) continue;
    const known = byClass.get(wanted.class.metadata.name);
    if (known === undefined)
      byClass.set(wanted.class.metadata.name, { class: wanted.class, requests: [wanted.fullName] });
    else known.requests.push(wanted.fullName);
  }
  const ofClasses = [...byClass.values()].flatMap(({ class: { spec }, requests: names }) =>
    (spec.config ?? []).map((each) => ({ source: 'FromClass', requests: names, ...each }) as const),
  );
  const ofClaim = config.flatMap((each) => {
    const names = each.requests ?? [];
    const times =
      names.length === 0
        ? 1
        : requests.filter(({ name }) => names.includes(name) || names.includes(chosen.get(name)?.fullName ?? name))
            .length;
    return Array.from({ length: times }, () => ({ source: 'FromClaim', ...each }) as const);
  });
  return [...ofClasses, ...ofClaim];
}

/** Selects the nodes that can use all chosen devices; undefined for every node. */
function nodeSelectorOf(chosen: readonly Chosen[], nodeName: string): DeepReadonly<NodeSelector> | undefined {
  const fields: Requirement[] = [];
  const expressions: Requirement[] = [];
  for (const { candidate } of chosen) {
    const { device, slice } = candidate;
    const reach = slice.spec.perDeviceNodeSelection === true ? device : slice.spec;
    if (reach.nodeName !== undefined || device.bindsToNode === true)
      return { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }] };
    const [term] = reach.nodeSelector?.nodeSelectorTerms ?? [];
    addNew(fields, term?.matchFields);
    addNew(expressions, term?.matchExpressions);
  }
  if (fields.length === 0 && expressions.length === 0) return undefined;
  const matchFields = fields.length === 0 ? {} : { matchFields: fields };
  const matchExpressions = expressions.length === 0 ? {} : { matchExpressions: expressions };
  return { nodeSelectorTerms: [{ ...matchExpressions, ...matchFields }] };
}

function addNew(list: Requirement[], more: readonly Requirement[] = []): void {
  for (const requirement of more) if (!list.some((each) => isSame(each, requirement))) list.push(requirement);
}

function isSame(left: Requirement, right: Requirement): boolean {
  if (left.key !== right.key || left.operator !== right.operator) return false;
  const values = new Set(left.values ?? []);
  const others = new Set(right.values ?? []);
  return values.size === others.size && [...values].every((value) => others.has(value));
}
