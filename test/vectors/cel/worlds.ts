// The worlds in which expressions are compared with Go: environments with values, made from worlds.json.
import { parseUntyped } from '../../../src/api/index.ts';
import {
  admissionEnvironment,
  AuthorizerValue,
  type AccessOracle,
  type Bindings,
  type Environment,
  ProgramError,
  ResourceCheck,
  ruleEnvironment,
  type StructuralSchema,
  structuralShape,
  type SizeEstimator,
} from '../../../src/cel/index.ts';
import { describeValue } from './describe.ts';

/** A world as worlds.json has it. */
export interface WorldDescription {
  readonly kind: 'crd' | 'policy' | 'mutation';
  /** Another world, of which this one has everything that it does not say itself. */
  readonly like?: string;
  readonly isRoot?: boolean;
  readonly schema?: StructuralSchema;
  readonly values?: Readonly<Record<string, unknown>>;
  /** Makes it the environment for new expressions at that compatibility version. */
  readonly version?: string;
}

export interface World {
  readonly environment: Environment;
  readonly sizes: SizeEstimator | undefined;
  readonly bindings: Bindings;
}

/** What we say about an expression; the fields are those of the Go program's answers. */
export interface Answer {
  readonly world: string;
  readonly expr: string;
  readonly issues?: string;
  readonly type?: string;
  readonly min?: string;
  readonly max?: string;
  readonly refused?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost?: string;
  /** Set when Go's program broke down. */
  readonly panic?: string;
}

/** Allows paths below /allowed and to get pods, and fails about the resource "errors": as the Go program does. */
const oracle: AccessOracle = {
  decide({ serviceAccount, verb, path = '', resource }) {
    const user =
      serviceAccount === undefined
        ? 'alice'
        : `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`;
    if (path.startsWith('/allowed')) return { isAllowed: true, reason: 'path is fine' };
    if (resource?.resource === 'errors') return { isAllowed: false, reason: '', error: 'authorizer failed' };
    if (resource?.resource === 'pods' && verb === 'get') return { isAllowed: true, reason: `user ${user}` };
    if (resource?.subresource === 'denied')
      return { isAllowed: false, reason: `denied in ${resource.namespace}/${resource.name}` };
    return { isAllowed: false, reason: '' };
  },
};

export function worldsOf(descriptions: Readonly<Record<string, WorldDescription>>): ReadonlyMap<string, World> {
  return new Map(
    Object.entries(descriptions).map(([name, description]) => {
      const like = description.like === undefined ? undefined : descriptions[description.like];
      return [name, worldOf({ ...like, ...description })];
    }),
  );
}

export function worldOf(description: WorldDescription): World {
  const version = description.version === undefined ? undefined : Number(description.version.split('.')[1]);
  const values = (description.values ?? {}) as Record<string, unknown>;
  if (description.kind === 'crd') {
    const shape = structuralShape(description.schema ?? {}, { isResource: description.isRoot === true });
    const rules = ruleEnvironment(shape, { version });
    if (rules === undefined) throw new Error('the schema has no type in CEL');
    return { environment: rules.environment, sizes: rules.sizes, bindings: values };
  }
  const environment = admissionEnvironment({
    hasParams: true,
    hasAuthorizer: true,
    hasPatchTypes: description.kind === 'mutation',
    version,
  });
  const authorizer = new AuthorizerValue(oracle);
  const nulls = { object: null, oldObject: null, params: null, request: null, namespaceObject: null };
  const requestResource = new ResourceCheck(authorizer, { resource: 'pods', namespace: 'default', name: 'web-1' });
  return {
    environment,
    sizes: undefined,
    bindings: { ...nulls, ...values, authorizer, 'authorizer.requestResource': requestResource },
  };
}

/** Reads worlds.json, with integers beyond 2^53. */
export function readWorlds(json: string): ReadonlyMap<string, World> {
  return worldsOf(parseUntyped(json) as Readonly<Record<string, WorldDescription>>);
}

/** Kubernetes' limit for one expression. */
const COST_LIMIT = 1_000_000;

export function ask(worlds: ReadonlyMap<string, World>, world: string, expr: string): Answer {
  const { environment, sizes, bindings } = worlds.get(world) as World;
  const question = { world, expr };
  const compiled = environment.compile(expr);
  if (!compiled.ok) return { ...question, issues: compiled.issues.toString() };
  const { expression } = compiled;
  const { min, max } = expression.estimateCost(sizes);
  const checked = { ...question, type: expression.typeName || undefined, min: String(min), max: String(max) };
  try {
    const result = expression.program({ costLimit: COST_LIMIT }).evaluate(bindings);
    if (!result.ok)
      return { ...checked, error: result.error, ...(result.isOverLimit ? {} : { cost: String(result.cost) }) };
    return { ...checked, value: describeValue(result.value), cost: String(result.cost) };
  } catch (error) {
    if (error instanceof ProgramError) return { ...checked, refused: error.message };
    throw error;
  }
}
