/** What of a catalog is offered. */
export interface Restrictions {
  readonly serviceClass?: readonly string[] | undefined;
  readonly servicePlan?: readonly string[] | undefined;
}

type Properties = Readonly<Record<string, string>>;

/** Something that a catalog offers, as restrictions see it. */
interface Offered {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly externalName: string;
    readonly externalID: string;
    readonly free?: boolean | undefined;
    readonly clusterServiceClassRef?: { readonly name: string } | undefined;
    readonly serviceClassRef?: { readonly name: string } | undefined;
  };
}

const OF_BOTH = ['name', 'spec.externalName', 'spec.externalID'];

/** The properties that restrictions of a broker can name. */
function propertyNames(isCluster: boolean): { readonly serviceClass: string[]; readonly servicePlan: string[] } {
  const classOf = isCluster ? 'spec.clusterServiceClass.name' : 'spec.serviceClass.name';
  return { serviceClass: OF_BOTH, servicePlan: [...OF_BOTH, 'spec.free', classOf] };
}

function propertiesOf({ metadata, spec }: Offered): Properties {
  return {
    name: metadata.name,
    'spec.externalName': spec.externalName,
    'spec.externalID': spec.externalID,
    'spec.free': String(spec.free ?? true),
    'spec.clusterServiceClass.name': spec.clusterServiceClassRef?.name ?? '',
    'spec.serviceClass.name': spec.serviceClassRef?.name ?? '',
  };
}

interface Requirement {
  readonly property: string;
  readonly isOneOf: boolean;
  readonly values: readonly string[];
}

const EQUALITY = /^([-._/A-Za-z0-9]+)\s*(==|=|!=)\s*([-._A-Za-z0-9]*)$/;
const SET = /^([-._/A-Za-z0-9]+)\s+(in|notin)\s*\(([-._A-Za-z0-9,\s]*)\)$/;

/** The requirements of one restriction, such as `spec.externalName in (small, large), spec.free=true`; undefined when it is none. */
function requirementsIn(restriction: string): readonly Requirement[] | undefined {
  const parts = restriction.split(/,(?![^(]*\))/).map((part) => part.trim());
  const read = parts.map((part): Requirement | undefined => {
    const [, property = '', sign = '', value = ''] = EQUALITY.exec(part) ?? SET.exec(part) ?? [];
    if (property === '') return undefined;
    const values = sign.endsWith('in') ? value.split(',').map((each) => each.trim()) : [value];
    return { property, isOneOf: sign !== '!=' && sign !== 'notin', values };
  });
  return read.every((each) => each !== undefined) ? read : undefined;
}

/** Why the restrictions of a broker are refused. */
export function restrictionProblem(
  { catalogRestrictions: restrictions = {} }: { readonly catalogRestrictions?: Restrictions | undefined },
  isCluster: boolean,
): string | undefined {
  const names = propertyNames(isCluster);
  for (const part of ['serviceClass', 'servicePlan'] as const)
    for (const restriction of restrictions[part] ?? []) {
      const requirements = requirementsIn(restriction);
      const where = `spec.catalogRestrictions.${part}`;
      if (requirements === undefined)
        return `${where}: "${restriction}" is no restriction, such as "spec.externalName in (small, large)"`;
      const unknown = requirements.find(({ property }) => !names[part].includes(property));
      if (unknown !== undefined)
        return `${where}: "${unknown.property}" is none of ${names[part].map((name) => `"${name}"`).join(', ')}`;
    }
  return undefined;
}

function isAllowed(offered: Offered, restrictions: readonly string[] = []): boolean {
  const properties = propertiesOf(offered);
  return restrictions
    .flatMap((restriction) => requirementsIn(restriction) ?? [])
    .every(({ property, isOneOf, values }) => values.includes(properties[property] ?? '') === isOneOf);
}

/** The classes and plans that the restrictions of a broker let through: plans of allowed classes, and classes of which a plan is left. */
export function restricted<Class extends Offered, Plan extends Offered>(
  { classes, plans }: { readonly classes: readonly Class[]; readonly plans: readonly Plan[] },
  { serviceClass, servicePlan }: Restrictions = {},
): { readonly classes: readonly Class[]; readonly plans: readonly Plan[] } {
  const classOf = ({ spec }: Plan): string => (spec.clusterServiceClassRef ?? spec.serviceClassRef)?.name ?? '';
  const allowed = classes.filter((each) => isAllowed(each, serviceClass));
  const offered = plans.filter(
    (plan) => allowed.some(({ metadata }) => metadata.name === classOf(plan)) && isAllowed(plan, servicePlan),
  );
  return {
    classes: allowed.filter(({ metadata }) => offered.some((plan) => classOf(plan) === metadata.name)),
    plans: offered,
  };
}
