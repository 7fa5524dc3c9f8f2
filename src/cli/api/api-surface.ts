import type { Shape, Struct, TypeTable } from '../../api/index.ts';

/** What clients can see of an API: places with what is said of them. */
export interface ApiSurface {
  /** `apps/v1 deployments`: kind, scope and subresources. */
  readonly resources: ReadonlyMap<string, string>;
  /** `core.v1.PodSpec` */
  readonly types: ReadonlySet<string>;
  /** `core.v1.PodSpec.hostname`, or `v1 Pod spec.hostname` of a single kind: type, and what is required, allowed and filled in. */
  readonly fields: ReadonlyMap<string, string>;
}

/** The resources of a version of Kubernetes, and the fields of all types that these make use of. */
export function surfaceOf(table: TypeTable): ApiSurface {
  const structs = new Map<string, Struct>();
  const waiting = table.resources().flatMap(({ type, subresources }) => [type, ...subresources.map((sub) => sub.type)]);
  for (let struct = waiting.pop(); struct !== undefined; struct = waiting.pop()) {
    if (structs.has(struct.name)) continue;
    structs.set(struct.name, struct);
    for (const { shape } of struct.fields) {
      const inner = innermost(shape);
      if (inner.kind === 'struct') waiting.push(inner.struct);
    }
  }
  const fields = new Map<string, string>();
  for (const { name, fields: own } of structs.values())
    for (const field of own) fields.set(`${shortTypeName(name)}.${field.name}`, describeField(field));
  return { resources: resourcesOf(table), types: new Set([...structs.keys()].map(shortTypeName)), fields };
}

/** The same of one kind, by the paths of its fields. A type inside itself is not entered again. */
export function surfaceOfKind(table: TypeTable, kind: string): ApiSurface {
  const resources = table.resources().filter((each) => each.kind.toLowerCase() === kind.toLowerCase());
  const fields = new Map<string, string>();
  const enter = (struct: Struct, prefix: string, inside: readonly string[]): void => {
    for (const field of struct.fields) {
      const path = `${prefix}${field.name}`;
      fields.set(path, describeField(field));
      const inner = innermost(field.shape);
      if (inner.kind === 'struct' && !inside.includes(inner.struct.name))
        enter(inner.struct, `${path}.`, [...inside, inner.struct.name]);
    }
  };
  for (const { group, version, kind: name, type } of resources)
    enter(type, `${groupVersion(group, version)} ${name} `, [type.name]);
  const names = new Set(resources.map(({ group, version, plural }) => `${groupVersion(group, version)} ${plural}`));
  const all = resourcesOf(table);
  return { resources: new Map([...all].filter(([name]) => names.has(name))), types: new Set(), fields };
}

function resourcesOf(table: TypeTable): Map<string, string> {
  return new Map(
    table.resources().map(({ group, version, plural, kind, namespaced, subresources }) => {
      const below = subresources.map(({ name }) => `/${name}`).join(' ');
      const said = `${kind}, ${namespaced ? 'namespaced' : 'cluster'}${below === '' ? '' : `, ${below}`}`;
      return [`${groupVersion(group, version)} ${plural}`, said];
    }),
  );
}

function groupVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `io.k8s.api.core.v1.Pod` as `core.v1.Pod`. */
function shortTypeName(name: string): string {
  return name.replace(/^io\.k8s\.(?:api\.)?/, '').replace(/^[\w-]+\.pkg\.apis\./, '');
}

function innermost(shape: Shape): Shape {
  if (shape.kind === 'list') return innermost(shape.element);
  return shape.kind === 'map' ? innermost(shape.value) : shape;
}

function describeField({ shape, required, isOnlyChecked }: Struct['fields'][number]): string {
  const { constraints } = innermost(shape);
  const filled = shape.constraints?.default ?? shape.constraints?.fill;
  const allowed = constraints?.enum ?? constraints?.values;
  return [
    typeText(shape),
    ...(required && isOnlyChecked !== true ? ['required'] : []),
    ...(filled === undefined ? [] : [`default ${JSON.stringify(filled)}`]),
    ...(allowed === undefined || allowed.length === 0 ? [] : [`one of ${allowed.map(String).join(', ')}`]),
  ].join('; ');
}

function typeText(shape: Shape): string {
  switch (shape.kind) {
    case 'scalar':
      return shape.scalar;
    case 'struct':
      return shape.struct.shortName;
    case 'list':
      return `[]${typeText(shape.element)}${shape.keys === undefined ? '' : ` by ${shape.keys.join(', ')}`}`;
    case 'map':
      return `map of ${typeText(shape.value)}`;
  }
}

/** A place that one version has and the other does not, or that both have and describe differently. */
export interface SurfaceChange {
  readonly place: string;
  readonly before?: string;
  readonly after?: string;
}

export interface SurfaceChanges {
  readonly resources: readonly SurfaceChange[];
  readonly fields: readonly SurfaceChange[];
}

/** What changes from one version to the other. Of what is new or gone as a whole, the parts are left out. */
export function surfaceChanges(before: ApiSurface, after: ApiSurface): SurfaceChanges {
  const isPart = (place: string): boolean => {
    const dot = place.lastIndexOf('.');
    const owner = place.slice(0, dot);
    if (before.types.size > 0) return !before.types.has(owner) || !after.types.has(owner);
    if (dot < 0) return isNewKind(place);
    return before.fields.has(owner) !== after.fields.has(owner) || isPart(owner);
  };
  const kindsOf = (surface: ApiSurface): Set<string> => new Set([...surface.fields.keys()].map(kindOf));
  const [kindsBefore, kindsAfter] = [kindsOf(before), kindsOf(after)];
  const isNewKind = (place: string): boolean => kindsBefore.has(kindOf(place)) !== kindsAfter.has(kindOf(place));
  return {
    resources: changesOf(before.resources, after.resources),
    fields: changesOf(before.fields, after.fields).filter(({ place }) => !isPart(place)),
  };
}

/** `apps/v1 Deployment` of `apps/v1 Deployment spec.replicas`. */
function kindOf(place: string): string {
  return place.slice(0, place.lastIndexOf(' '));
}

function changesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): SurfaceChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .filter((place) => before.get(place) !== after.get(place))
    .map((place) => {
      const [was, is] = [before.get(place), after.get(place)];
      return { place, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) };
    });
}
