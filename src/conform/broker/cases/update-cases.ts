import { deepEqual } from '../../../base/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import { checkBegun, checkDashboard, expectObject, objectOf } from '../answers.ts';
import { type BrokerWorld, expectRefusal, pathOf, shown, type TriedPlan } from '../broker-world.ts';
import { eachPlan, hasMaintenance, isRetrievable } from './each-plan.ts';
import { expectCode } from './expect-code.ts';

const UPDATE = 'OSB 2.17, Updating a Service Instance';
const MANDATORY = '400 Bad Request must be returned if the request is malformed or missing mandatory data.';

const canChangePlan = ({ service, plan }: TriedPlan): boolean =>
  (plan.plan_updateable ?? service.plan_updateable) === true && otherPlan({ service, plan }) !== undefined;
const takesContext = ({ service }: TriedPlan): boolean => service.allow_context_updates === true;

function otherPlan({ service, plan }: TriedPlan): string | undefined {
  return service.plans.find(({ id }) => id !== plan.id)?.id;
}

/** A request for other parameters of an instance that was made for it. */
interface Change {
  readonly tried: TriedPlan;
  readonly world: BrokerWorld;
  readonly signal: AbortSignal;
  readonly id: string;
  readonly body: { readonly service_id: string; readonly parameters: BrokerWorld['options']['updateParameters'] };
}

/** A case about a change of parameters, where there are parameters to change to. */
function changing(run: (change: Change) => Promise<void>): Pick<ConformCase<BrokerWorld>, 'skip' | 'run'> {
  return {
    async skip(world, signal) {
      if (world.options.updateParameters === undefined) return 'no --update-parameters';
      return world.without(signal, 'is tried', () => true);
    },
    run: eachPlan(async (tried, world, signal) => {
      const id = await world.instance(tried, signal);
      const body = { service_id: tried.service.id, parameters: world.options.updateParameters };
      await run({ tried, world, signal, id, body });
    }).run,
  };
}

export const updateCases: readonly ConformCase<BrokerWorld>[] = [
  {
    name: 'update-context',
    title: 'a change of the context alone is made',
    rule: 'With allow_context_updates, platforms may send updates that contain only contextual data.',
    source: UPDATE,
    level: 'must',
    ...eachPlan(
      async (tried, world, signal) => {
        const id = await world.instance(tried, signal);
        const body = {
          service_id: tried.service.id,
          context: { platform: 'keelson-conform', instance_name: 'renamed' },
        };
        const reply = await world.update(id, tried, { body, signal });
        expectThat(reply.status === 200 || reply.status === 202, `PATCH has answered ${shown(reply)}`);
        checkDashboard(reply, 'PATCH');
        await world.finished('update', reply, { path: pathOf(id), signal });
      },
      takesContext,
      'has allow_context_updates',
    ),
  },
  {
    name: 'update-parameters',
    title: 'parameters are changed, and the plan stays',
    rule: '200 must be returned if the changes have been applied, 202 while that is in progress; without plan_id the plan must not change.',
    source: UPDATE,
    level: 'must',
    ...changing(async ({ tried, world, signal, id, body }) => {
      const reply = await world.update(id, tried, { body, signal });
      if (reply.status === 202) checkBegun(reply, 'PATCH');
      await world.finished('update', reply, { path: pathOf(id), signal });
      if (!isRetrievable(tried)) return;
      const { plan_id: plan = tried.plan.id, parameters } = objectOf(await world.get(pathOf(id), signal));
      expectThat(plan === tried.plan.id, `the plan is ${JSON.stringify(plan)} after an update without plan_id`);
      for (const [name, value] of Object.entries(world.options.updateParameters ?? {})) {
        const now = (parameters as Record<string, unknown> | undefined)?.[name];
        expectThat(
          parameters === undefined || deepEqual(now, value),
          `"${name}" is ${JSON.stringify(now)} after the update`,
        );
      }
    }),
  },
  {
    name: 'update-plan',
    title: 'an instance changes to another plan, and its parameters stay',
    rule: 'With plan_updateable, platforms may change the plan; without parameters in the request the broker must not change them.',
    source: UPDATE,
    level: 'must',
    ...eachPlan(
      async (tried, world, signal) => {
        const id = await world.instance(tried, signal);
        const before = isRetrievable(tried) ? objectOf(await world.get(pathOf(id), signal)) : {};
        const plan = otherPlan(tried);
        const body = { service_id: tried.service.id, plan_id: plan, previous_values: { plan_id: tried.plan.id } };
        const reply = await world.update(id, tried, { body, signal });
        if (reply.status === 422) return; // not every change of plans has to be supported
        await world.finished('update', reply, { path: pathOf(id), signal });
        if (!isRetrievable(tried)) return;
        const after = objectOf(await world.get(pathOf(id), signal));
        expectThat(
          after['plan_id'] === undefined || after['plan_id'] === plan,
          `the plan is ${JSON.stringify(after['plan_id'])} afterwards`,
        );
        const sent = Object.keys(world.options.parameters);
        const [old, now] = [before, after].map(({ parameters = {} }) => parameters as Record<string, unknown>);
        for (const name of sent)
          expectThat(
            deepEqual(old?.[name], now?.[name]),
            `parameter "${name}" is ${JSON.stringify(now?.[name])} afterwards`,
          );
      },
      canChangePlan,
      'has plan_updateable and another plan beside it',
    ),
  },
  {
    name: 'update-without-service',
    title: 'a change without "service_id" is refused with 400',
    rule: MANDATORY,
    source: UPDATE,
    level: 'must',
    ...eachPlan(
      async (tried, world, signal) => {
        const id = await world.instance(tried, signal);
        const body = { context: { platform: 'keelson-conform' } };
        expectRefusal(await world.update(id, tried, { body, signal }), [400], 'PATCH');
      },
      takesContext,
      'has allow_context_updates',
    ),
  },
  {
    name: 'update-malformed',
    title: 'a change whose body is no JSON object is refused with 400',
    rule: MANDATORY,
    source: UPDATE,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = await world.instance(tried, signal);
      for (const body of ['{', '[]', 'null'])
        expectRefusal(await world.update(id, tried, { body, signal }), [400], `the body ${JSON.stringify(body)}`);
    }),
  },
  {
    name: 'update-refused',
    title: 'a change to a plan that is not there is refused, and changes nothing',
    rule: 'When the response has a status of 4xx or 5xx, the broker must not apply any of the requested changes.',
    source: UPDATE,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = await world.instance(tried, signal);
      const read = async (): Promise<unknown> =>
        isRetrievable(tried) ? objectOf(await world.get(pathOf(id), signal)) : undefined;
      const before = await read();
      const body = { service_id: tried.service.id, plan_id: world.newId(), parameters: world.options.updateParameters };
      const reply = await world.update(id, tried, { body, signal });
      expectThat(reply.status >= 400 && reply.status < 500, `PATCH to an unknown plan has answered ${shown(reply)}`);
      expectThat(deepEqual(before, await read()), 'the instance has changed');
    }),
  },
  {
    name: 'update-unknown',
    title: 'a change of an instance that is not there is refused',
    rule: 'The id must be that of a previously provisioned instance.',
    source: UPDATE,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = world.newId();
      const reply = await world.update(id, tried, { signal });
      expectThat(reply.status >= 400 && reply.status < 500, `PATCH has answered ${shown(reply)}`);
      expectRefusal(await world.deprovision(id, tried, { signal }), [410], 'DELETE of what was never made');
    }),
  },
  {
    name: 'update-maintenance',
    title: 'a change to another maintenance version than the catalog has is refused with MaintenanceInfoConflict',
    rule: '422 with MaintenanceInfoConflict must be returned if maintenance_info.version does not match the catalog.',
    source: UPDATE,
    level: 'must',
    ...eachPlan(
      async (tried, world, signal) => {
        const id = await world.instance(tried, signal);
        const body = { service_id: tried.service.id, maintenance_info: { version: '0.0.1-keelson-conform' } };
        expectCode(await world.update(id, tried, { body, signal }), 'MaintenanceInfoConflict');
        const right = { service_id: tried.service.id, maintenance_info: tried.plan.maintenance_info };
        const reply = await world.update(id, tried, { body: right, signal });
        expectObject(reply, 'PATCH');
        await world.finished('update', reply, { path: pathOf(id), signal });
      },
      hasMaintenance,
      'has maintenance_info',
    ),
  },
  {
    name: 'update-async-required',
    title: 'a change in the background of a request that does not accept it is refused with AsyncRequired',
    rule: '422 with AsyncRequired must be returned if the instance can only be changed in the background.',
    source: UPDATE,
    level: 'must',
    ...changing(async ({ tried, world, signal, id, body }) => {
      const reply = await world.update(id, tried, { body, query: '', signal });
      if (reply.status !== 200) expectCode(reply, 'AsyncRequired');
    }),
  },
  {
    name: 'update-in-progress',
    title:
      'while an instance is changed in the background, the same request is 202 with the same operation, and GET is ConcurrencyError',
    rule: 'A re-sent PATCH must return 202 with the same operation if the update has not completed; fetching returns 422 with ConcurrencyError.',
    source: UPDATE,
    level: 'must',
    ...changing(async ({ tried, world, signal, id, body }) => {
      const first = await world.update(id, tried, { body, signal });
      if (first.status !== 202) return;
      const again = await world.update(id, tried, { body, signal });
      const got = isRetrievable(tried) ? await world.get(pathOf(id), signal) : undefined;
      const isOver = objectOf(await world.lastOperation(pathOf(id), { signal }))['state'] !== 'in progress';
      if (!isOver) {
        expectThat(again.status === 202, `the same request has answered ${shown(again)}`);
        const [one, two] = [objectOf(first)['operation'], objectOf(again)['operation']];
        expectThat(deepEqual(one, two), `the same request has the operation ${String(two)}, and not ${String(one)}`);
        if (got !== undefined) expectCode(got, 'ConcurrencyError');
      }
      await world.finished('update', first, { path: pathOf(id), signal });
    }),
  },
];
