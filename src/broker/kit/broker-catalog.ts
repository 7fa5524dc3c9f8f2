import { type Duration, millisecondsOf } from '../../base/index.ts';
import { type InputOf, jsonSchemaOf, type OutputOf, type SchemaSource } from '../../kit/index.ts';
import { catalogProblems } from '../protocol/catalog-problems.ts';
import type {
  BrokerVerb,
  JsonObject,
  MaintenanceInfo,
  OsbCatalog,
  OsbPermission,
  OsbPlan,
  OsbService,
} from '../protocol/osb.ts';
import { checkParameterSchema, ParameterSchemaError } from '../schema/parameter-schema.ts';

/** A plan of a service; its name is its key. */
export interface PlanDefinition {
  /** Stays the same forever, and belongs to no other plan anywhere; a GUID. */
  readonly id: string;
  readonly description: string;
  /** What instances take: a schema of zod, valibot, TypeBox or another library, or a literal JSON Schema. Default: anything. */
  readonly parameters?: SchemaSource;
  /** What bindings take. */
  readonly bindParameters?: SchemaSource;
  /** True: instances are made, changed and removed in the background; or what is. Default none. */
  readonly async?: boolean | readonly BrokerVerb[];
  /** Default true. */
  readonly free?: boolean;
  /** Default: as the service. */
  readonly bindable?: boolean;
  /** Whether instances of this plan can change to another one; default as the service. */
  readonly planUpdateable?: boolean;
  /** Whether a binding can be made as the successor of another. */
  readonly rotatable?: boolean;
  /** The version of what instances run on. */
  readonly maintenance?: MaintenanceInfo;
  /** After this the platform considers work in the background failed. */
  readonly longestWork?: Duration;
  readonly metadata?: JsonObject;
}

/** A service; its name is its key. */
export interface ServiceDefinition {
  /** Stays the same forever, and belongs to no other service anywhere; a GUID. */
  readonly id: string;
  readonly description: string;
  readonly plans: Readonly<Record<string, PlanDefinition>>;
  /** Default: whether the broker has a function for bindings. */
  readonly bindable?: boolean;
  readonly planUpdateable?: boolean;
  /** Whether bindings are for applications only. */
  readonly needsApp?: boolean;
  readonly requires?: readonly OsbPermission[];
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly dashboardClient?: { readonly id: string; readonly secret: string; readonly redirectUri: string };
}

/** Services by their names. */
export type CatalogDefinition = Readonly<Record<string, ServiceDefinition>>;

/** A plan as the broker works with it. */
export interface OfferedPlan {
  readonly service: string;
  readonly name: string;
  readonly wire: OsbPlan;
  readonly offering: OsbService;
  readonly needsApp: boolean;
  readonly isBindable: boolean;
  readonly isPlanUpdateable: boolean;
  readonly schemas: { readonly create?: JsonObject; readonly update?: JsonObject; readonly bind?: JsonObject };
  isAsync(verb: BrokerVerb): boolean;
}

/** The parameters of a plan as functions get them: fields with defaults are there. */
export type ParametersOf<Plan> = Plan extends { readonly parameters: infer Schema } ? OutputOf<Schema> : JsonObject;
/** The parameters of a plan as users write them. */
export type SentParametersOf<Plan> = Plan extends { readonly parameters: infer Schema } ? InputOf<Schema> : JsonObject;
export type BindParametersOf<Plan> = Plan extends { readonly bindParameters: infer Schema }
  ? OutputOf<Schema>
  : JsonObject;

const INSTANCE_VERBS: readonly BrokerVerb[] = ['provision', 'update', 'deprovision'];
const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** What the broker can do beside provisioning, which the catalog tells. */
export interface BrokerAbilities {
  readonly canUpdate: boolean;
  readonly canBind: boolean;
}

/** The catalog of a broker: what is sent, and its plans by their ids. */
export class OfferedCatalog {
  readonly wire: OsbCatalog;
  readonly #plans = new Map<string, OfferedPlan>();

  /** Throws a TypeError that lists what the specification forbids. */
  constructor(definition: CatalogDefinition, abilities: BrokerAbilities) {
    const services = Object.entries(definition).map(([name, service]) => {
      const offering = offeringOf(name, service, abilities);
      for (const plan of offering.plans)
        this.#plans.set(keyOf(offering.id, plan.id), offeredPlan(offering, plan, service));
      return offering;
    });
    this.wire = { services };
    const problems = [...catalogProblems(this.wire), ...unusableSchemas(this.wire)];
    if (problems.length > 0) throw new TypeError(`Cannot offer this catalog:\n  ${problems.join('\n  ')}`);
  }

  plan(serviceId: string, planId: string): OfferedPlan | undefined {
    return this.#plans.get(keyOf(serviceId, planId));
  }
}

function keyOf(serviceId: string, planId: string): string {
  return `${serviceId}\n${planId}`;
}

function offeringOf(name: string, service: ServiceDefinition, { canUpdate, canBind }: BrokerAbilities): OsbService {
  const {
    id,
    description,
    plans,
    bindable = canBind,
    planUpdateable,
    requires,
    tags,
    metadata,
    dashboardClient,
  } = service;
  return {
    id,
    name,
    description,
    bindable,
    instances_retrievable: true,
    bindings_retrievable: true,
    allow_context_updates: canUpdate,
    plan_updateable: planUpdateable ?? false,
    ...(tags === undefined ? {} : { tags }),
    ...(requires === undefined ? {} : { requires }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(dashboardClient === undefined ? {} : { dashboard_client: clientOf(dashboardClient) }),
    plans: Object.entries(plans).map(([plan, each]) => wirePlan(`${name}.${plan}`, plan, each)),
  };
}

function clientOf({ id, secret, redirectUri }: NonNullable<ServiceDefinition['dashboardClient']>): JsonObject {
  return { id, secret, redirect_uri: redirectUri };
}

function wirePlan(place: string, name: string, plan: PlanDefinition): OsbPlan {
  const { id, description, free, bindable, planUpdateable, rotatable, maintenance, longestWork, metadata } = plan;
  const create = schemaOf(plan.parameters, `parameters of ${place}`);
  const bind = schemaOf(plan.bindParameters, `bindParameters of ${place}`);
  const schemas = {
    ...(create === undefined ? {} : { service_instance: instanceSchemas(create) }),
    ...(bind === undefined ? {} : { service_binding: { create: { parameters: bind } } }),
  };
  return {
    id,
    name,
    description,
    ...(free === undefined ? {} : { free }),
    ...(bindable === undefined ? {} : { bindable }),
    ...(planUpdateable === undefined ? {} : { plan_updateable: planUpdateable }),
    ...(rotatable === undefined ? {} : { binding_rotatable: rotatable }),
    ...(maintenance === undefined ? {} : { maintenance_info: maintenance }),
    ...(longestWork === undefined ? {} : { maximum_polling_duration: Math.ceil(millisecondsOf(longestWork) / 1000) }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(Object.keys(schemas).length === 0 ? {} : { schemas }),
  };
}

/** Updates take the same parameters, each optional: those that are not sent stay as they are. */
function instanceSchemas(create: JsonObject): NonNullable<NonNullable<OsbPlan['schemas']>['service_instance']> {
  const { required: _, ...update } = create;
  return { create: { parameters: create }, update: { parameters: update } };
}

function schemaOf(source: SchemaSource | undefined, place: string): JsonObject | undefined {
  if (source === undefined) return undefined;
  const schema = jsonSchemaOf(source, place) as JsonObject;
  return { $schema: DRAFT, ...schema };
}

function offeredPlan(offering: OsbService, wire: OsbPlan, service: ServiceDefinition): OfferedPlan {
  const { async = false, ...definition } = service.plans[wire.name] ?? { async: false };
  const verbs = typeof async === 'boolean' ? (async ? INSTANCE_VERBS : []) : async;
  const { service_instance: instance, service_binding: binding } = wire.schemas ?? {};
  return {
    service: offering.name,
    name: wire.name,
    wire,
    offering,
    needsApp: service.needsApp === true,
    isBindable: wire.bindable ?? offering.bindable,
    isPlanUpdateable:
      ('planUpdateable' in definition ? definition.planUpdateable : undefined) ?? service.planUpdateable ?? false,
    schemas: {
      create: instance?.create?.parameters,
      update: instance?.update?.parameters,
      bind: binding?.create?.parameters,
    },
    isAsync: (verb) => verbs.includes(verb),
  };
}

/** Schemas that values could not be judged by. */
function unusableSchemas({ services }: OsbCatalog): readonly string[] {
  return services.flatMap(({ name, plans }) =>
    plans.flatMap((plan) => {
      const { service_instance: instance, service_binding: binding } = plan.schemas ?? {};
      return [instance?.create, binding?.create].flatMap((each) => {
        try {
          if (each?.parameters !== undefined) checkParameterSchema(each.parameters);
          return [];
        } catch (error) {
          if (!(error instanceof ParameterSchemaError)) throw error;
          return [`plan "${plan.name}" of service "${name}": ${error.message}`];
        }
      });
    }),
  );
}
