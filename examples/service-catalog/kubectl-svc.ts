import { type Client, kubectlPlugin, type PluginContext } from 'keelson';
import {
  ClusterServiceClass,
  ClusterServicePlan,
  ServiceBinding,
  ServiceClass,
  ServiceInstance,
  ServicePlan,
} from './kinds.ts';

const COMMANDS = ['marketplace', 'provision', 'bind', 'describe'] as const;
const flags = {
  class: { value: 'NAME', help: 'provision: the class, by its external name' },
  plan: { value: 'NAME', help: 'provision: the plan, by its external name' },
  params: { value: 'JSON', help: 'provision, bind: the parameters' },
  'secret-name': { value: 'NAME', help: 'bind: the Secret to make (default: the name of the binding)' },
  name: { value: 'NAME', help: 'bind: the binding (default: the name of the instance)' },
  namespaced: { help: 'provision: a class of the namespace, and not of the cluster' },
} as const;
type Context = PluginContext<typeof flags>;

/** `kubectl svc marketplace|provision|bind|describe` */
export const svc = kubectlPlugin('svc', {
  summary: 'Offers, makes, binds and describes services of the service catalog',
  args: `${COMMANDS.join('|')} [NAME]`,
  flags,
  async run(context) {
    const [command = '', name] = context.args;
    if (command === 'marketplace') return marketplace(context);
    if (!COMMANDS.some((each) => each === command))
      throw new Error(`unknown command "${command}": ${COMMANDS.join(', ')}`);
    if (name === undefined) throw new Error(`kubectl svc ${command} needs a NAME`);
    if (command === 'provision') return provision(context, name);
    return command === 'bind' ? bind(context, name) : describe(context, name);
  },
  async complete({ args, client, namespace }) {
    if (args.length === 0) return COMMANDS;
    if (args.length > 1 || (args[0] !== 'bind' && args[0] !== 'describe')) return [];
    const { items } = await client.kindIn(ServiceInstance, namespace).list({ limit: 500 });
    return items.map(({ metadata }) => metadata.name);
  },
});

/** Classes and plans of the cluster and of the namespace. */
async function offers(client: Client, namespace: string | undefined) {
  const classes = [
    ...(await client.kind(ClusterServiceClass).list()).items,
    ...(await client.kindIn(ServiceClass, namespace).list()).items,
  ];
  const plans = [
    ...(await client.kind(ClusterServicePlan).list()).items,
    ...(await client.kindIn(ServicePlan, namespace).list()).items,
  ];
  return plans.flatMap((plan) => {
    const ref = plan.spec.clusterServiceClassRef ?? plan.spec.serviceClassRef;
    const of = classes.find(
      ({ metadata }) => metadata.name === ref?.name && metadata.namespace === plan.metadata.namespace,
    );
    return of === undefined || plan.status?.removedFromBrokerCatalog === true
      ? []
      : [{ class: of.spec, plan: plan.spec }];
  });
}

async function marketplace({ client, namespace, table, print }: Context): Promise<void> {
  const found = await offers(client, namespace);
  if (found.length === 0) return print('No services are offered.');
  table(
    ['CLASS', 'PLAN', 'FREE', 'BINDABLE', 'BROKER', 'DESCRIPTION'],
    found.map(({ class: of, plan }) => [
      of.externalName,
      plan.externalName,
      plan.free ? 'yes' : 'no',
      (plan.bindable ?? of.bindable) ? 'yes' : 'no',
      of.clusterServiceBrokerName ?? of.serviceBrokerName,
      plan.description,
    ]),
  );
}

async function provision({ client, namespace = 'default', flags: given, print }: Context, name: string): Promise<void> {
  const { class: serviceClass, plan } = given;
  if (serviceClass === undefined || plan === undefined)
    throw new Error('kubectl svc provision needs --class and --plan');
  const names = given.namespaced
    ? { serviceClassExternalName: serviceClass, servicePlanExternalName: plan }
    : { clusterServiceClassExternalName: serviceClass, clusterServicePlanExternalName: plan };
  await client
    .kind(ServiceInstance)
    .namespace(namespace)
    .create({ metadata: { name }, spec: { ...names, ...parametersIn(given.params) } });
  print(`serviceinstance.servicecatalog.k8s.io/${name} created`);
}

async function bind({ client, namespace = 'default', flags: given, print }: Context, instance: string): Promise<void> {
  const { name = instance, 'secret-name': secretName } = given;
  const spec = {
    instanceRef: { name: instance },
    ...(secretName === undefined ? {} : { secretName }),
    ...parametersIn(given.params),
  };
  await client.kind(ServiceBinding).namespace(namespace).create({ metadata: { name }, spec });
  print(`servicebinding.servicecatalog.k8s.io/${name} created`);
}

async function describe({ client, namespace = 'default', print, table }: Context, name: string): Promise<void> {
  const { spec, status } = await client.kind(ServiceInstance).namespace(namespace).get(name);
  const [ready] = status?.conditions ?? [];
  print(`Name:       ${name}`);
  print(`Class:      ${spec.clusterServiceClassExternalName ?? spec.serviceClassExternalName ?? '<by id>'}`);
  print(
    `Plan:       ${status?.externalProperties?.planExternalName ?? spec.clusterServicePlanExternalName ?? spec.servicePlanExternalName ?? '<by id>'}`,
  );
  print(`Status:     ${ready === undefined ? 'Unknown' : `${ready.reason}: ${ready.message}`}`);
  if (status?.dashboardURL !== undefined) print(`Dashboard:  ${status.dashboardURL}`);
  const { items } = await client.kind(ServiceBinding).namespace(namespace).list();
  const bindings = items.filter((each) => each.spec.instanceRef.name === name);
  if (bindings.length === 0) return print('Bindings:   <none>');
  print('');
  table(
    ['BINDING', 'SECRET', 'STATUS'],
    bindings.map(({ metadata, spec: { secretName }, status: of }) => [
      metadata.name,
      secretName ?? metadata.name,
      of?.conditions[0]?.reason,
    ]),
  );
}

function parametersIn(text: string | undefined): { readonly parameters?: Record<string, unknown> } {
  if (text === undefined) return {};
  const parameters: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
  if (typeof parameters !== 'object' || parameters === null) throw new Error('--params is no JSON object');
  return { parameters: parameters as Record<string, unknown> };
}
