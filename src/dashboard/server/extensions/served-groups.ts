import type { APIService } from '../../../api/types/apiregistration/v1.d.ts';
import type { CustomResourceDefinition } from '../../../api/types/apiextensions/v1.d.ts';
import { hasReason } from '../../../api/client.ts';
import type { ServedKind } from '../../../client/index.ts';
import type { Health, ServedGroup, ServedResource } from '../../protocol.ts';
import type { AskedMap } from './asked-map.ts';
import { readItems } from './read-list.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** API groups, and who serves them. */
export async function servedGroups(asked: AskedMap): Promise<readonly ServedGroup[]> {
  const [{ kinds, failures }, services, definitions] = await Promise.all([
    asked.client.apis.survey({ signal: asked.signal }),
    readable(readItems<APIService>(asked, '/apis/apiregistration.k8s.io/v1/apiservices')),
    readable(readItems<CustomResourceDefinition>(asked, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions')),
  ]);
  const byName = new Map(definitions.map((definition) => [definition.metadata?.name ?? '', definition]));
  const foreign = new Map(
    services.flatMap((service) => (service.spec?.service ? [[service.spec.group ?? '', service] as const] : [])),
  );
  const groups = new Map<string, ServedKind[]>();
  for (const kind of kinds) groups.set(kind.group, [...(groups.get(kind.group) ?? []), kind]);
  for (const group of foreign.keys()) if (!groups.has(group)) groups.set(group, []);
  return [...groups].map(([group, served]) => {
    const service = foreign.get(group);
    const versions = [
      ...new Set([...served.map(({ version }) => version), ...(service?.spec?.version ? [service.spec.version] : [])]),
    ];
    const failure = versions
      .map((version) => failures.get(group === '' ? version : `${group}/${version}`))
      .find(Boolean);
    return {
      group,
      versions,
      servedBy: servedBy(
        service,
        served.some((kind) => byName.has(definitionName(kind))),
      ),
      health:
        service === undefined ? healthOf(failure) : conditionHealth(service.status?.conditions ?? [], 'Available'),
      resources: resourcesOf(served, byName),
    };
  });
}

function servedBy(service: APIService | undefined, isDefined: boolean): ServedGroup['servedBy'] {
  const target = service?.spec?.service;
  if (target !== undefined)
    return { type: 'service', namespace: target.namespace ?? '', name: target.name ?? '', port: target.port ?? 443 };
  return { type: isDefined ? 'definitions' : 'built-in' };
}

function resourcesOf(
  kinds: readonly ServedKind[],
  definitions: ReadonlyMap<string, CustomResourceDefinition>,
): readonly ServedResource[] {
  const byPlural = new Map<string, ServedKind[]>();
  for (const kind of kinds) byPlural.set(kind.plural, [...(byPlural.get(kind.plural) ?? []), kind]);
  return [...byPlural.values()].flatMap((versions) => {
    const [first] = versions;
    if (first === undefined) return [];
    const definition = definitions.get(definitionName(first));
    return [
      {
        resource: first.plural,
        kind: first.kind,
        versions: versions.map(({ version }) => version),
        isNamespaced: first.scope === 'Namespaced',
        shortNames: first.shortNames,
        ...(definition === undefined
          ? {}
          : {
              definition: definitionName(first),
              conversion: definition.spec.conversion?.strategy === 'Webhook' ? ('webhook' as const) : ('none' as const),
              health: conditionHealth(definition.status?.conditions ?? [], 'Established'),
            }),
      },
    ];
  });
}

function definitionName({ plural, group }: ServedKind): string {
  return `${plural}.${group}`;
}

function healthOf(failure: string | undefined): Health {
  return failure === undefined ? { state: 'ok' } : { state: 'failing', message: failure };
}

function conditionHealth(conditions: readonly Condition[], type: string): Health {
  const found = conditions.find((condition) => condition.type === type);
  if (found === undefined) return { state: 'unknown' };
  const { status, reason, message, lastTransitionTime } = found;
  return {
    state: status === 'True' ? 'ok' : status === 'False' ? 'failing' : 'unknown',
    ...(reason === undefined || reason === '' ? {} : { reason }),
    ...(message === undefined || message === '' ? {} : { message }),
    ...(lastTransitionTime === undefined ? {} : { since: lastTransitionTime }),
  };
}

/** Without the right to read them, groups are shown with what discovery says. */
async function readable<T>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await reading;
  } catch (error) {
    if (hasReason(error, 'Forbidden') || hasReason(error, 'NotFound')) return [];
    throw error;
  }
}
