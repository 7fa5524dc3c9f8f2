import { deepEqual } from '../../../base/index.ts';
import { isJsonObject } from '../../../broker/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import { checkBegun, checkState, expectObject, objectOf } from '../answers.ts';
import { type BrokerWorld, deleteQuery, expectRefusal, pathOf, shown } from '../broker-world.ts';
import { bindingsRetrievable, eachPlan, isBindable } from './each-plan.ts';
import { expectCode } from './expect-code.ts';

const BIND = 'OSB 2.17, Binding';
const FETCH = 'OSB 2.17, Fetching a Service Binding';
const POLL = 'OSB 2.17, Polling Last Operation for Service Bindings';
const UNBIND = 'OSB 2.17, Unbinding';
const MANDATORY = '400 Bad Request must be returned if the request is malformed or missing mandatory data.';
const INFORMATION = ['credentials', 'syslog_drain_url', 'route_service_url', 'volume_mounts', 'endpoints'];

type Rule = ConformCase<BrokerWorld>;
type Try = Parameters<typeof eachPlan>[0];

const eachBindable = (run: Try): ReturnType<typeof eachPlan> => eachPlan(run, isBindable, 'is bindable');
const eachRetrievable = (run: Try): ReturnType<typeof eachPlan> =>
  eachPlan(run, bindingsRetrievable, 'is bindable with bindings_retrievable');

/** A request for a binding that lacks a field. */
function without(field: 'service_id' | 'plan_id'): Rule {
  return {
    name: `bind-without-${field.replace(/_.*/, '')}`,
    title: `a request for a binding without "${field}" is refused with 400`,
    rule: MANDATORY,
    source: BIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const instance = await world.instance(tried, signal);
      const { [field]: _, ...body } = world.bindBody(tried, 'app');
      const reply = await world.bind({ instance, binding: world.newId() }, tried, { body, signal });
      expectRefusal(reply, [400], `a request without "${field}"`);
    }),
  };
}

export const bindCases: readonly Rule[] = [
  {
    name: 'bind',
    title: 'a binding is made: 201 with what applications need, or 202 and in the end succeeded',
    rule: '201 Created must be returned if the binding was created, 202 if that is in progress; the information must be returned at least once, and not with 202.',
    source: BIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const { reply, id, instance } = await world.binding(tried, signal);
      expectThat(reply.status === 201 || reply.status === 202, `PUT has answered ${shown(reply)}`);
      const body = expectObject(reply, 'PUT');
      if (reply.status === 202) {
        checkBegun(reply, 'PUT');
        const early = INFORMATION.filter((field) => body[field] !== undefined);
        expectThat(early.length === 0, `an answer 202 has ${early.join(', ')}`);
      }
      const given = reply.status === 202 ? objectOf(await world.get(pathOf(instance, id), signal)) : body;
      expectThat(
        INFORMATION.some((field) => given[field] !== undefined),
        `a binding has none of ${INFORMATION.join(', ')}`,
      );
      expectThat(
        given['credentials'] === undefined || isJsonObject(given['credentials']),
        '"credentials" is no object',
      );
    }),
  },
  {
    name: 'bind-fields',
    title: 'bindings have what the service requires only, and fields of the right form',
    rule: 'Drains, routes and volumes must be announced in "requires"; volume mounts, endpoints and dates have their form.',
    source: BIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const { reply, id, instance } = await world.binding(tried, signal);
      const got = reply.status === 202 ? await world.get(pathOf(instance, id), signal) : reply;
      const problems = bindingProblems(objectOf(got), tried.service.requires ?? []);
      expectThat(problems.length === 0, problems.join('\n'));
    }),
  },
  {
    name: 'bind-again',
    title: 'the same request for a binding that is there is answered with 200',
    rule: '200 OK should be returned if the binding exists and the requested parameters are identical.',
    source: BIND,
    level: 'should',
    ...eachBindable(async (tried, world, signal) => {
      const { id, instance, body } = await world.binding(tried, signal);
      const again = await world.bind({ instance, binding: id }, tried, { body, signal });
      expectThat(again.status === 200, `PUT again has answered ${shown(again)}`);
    }),
  },
  {
    name: 'bind-conflict',
    title: 'a request with other parameters for a binding that is there is refused with 409',
    rule: '409 Conflict must be returned if a binding with the same id exists or is being created with different parameters.',
    source: BIND,
    level: 'must',
    async skip(world, signal) {
      if (world.options.otherBindParameters === undefined) return 'no --other-bind-parameters';
      return world.without(signal, 'is bindable', isBindable);
    },
    run: eachBindable(async (tried, world, signal) => {
      const { id, instance, body } = await world.binding(tried, signal);
      const other = { ...body, parameters: world.options.otherBindParameters };
      expectRefusal(
        await world.bind({ instance, binding: id }, tried, { body: other, signal }),
        [409],
        'PUT with other parameters',
      );
    }).run,
  },
  without('service_id'),
  without('plan_id'),
  {
    name: 'bind-malformed',
    title: 'a request for a binding whose body is no JSON object is refused with 400',
    rule: MANDATORY,
    source: BIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const instance = await world.instance(tried, signal);
      for (const body of ['{', '[]', 'null'])
        expectRefusal(
          await world.bind({ instance, binding: world.newId() }, tried, { body, signal }),
          [400],
          `the body ${body}`,
        );
    }),
  },
  {
    name: 'bind-unknown',
    title: 'a binding of an instance that is not there is refused',
    rule: 'The id must be that of a previously provisioned instance.',
    source: BIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const reply = await world.bind({ instance: world.newId(), binding: world.newId() }, tried, {
        body: world.bindBody(tried, 'app'),
        signal,
      });
      expectThat(reply.status >= 400 && reply.status < 500, `PUT has answered ${shown(reply)}`);
    }),
  },
  {
    name: 'bind-requires-app',
    title: 'a binding that is refused for want of an application says RequiresApp',
    rule: '422 with RequiresApp must be returned if the broker requires app_guid.',
    source: BIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const instance = await world.instance(tried, signal);
      const bare = await world.bind({ instance, binding: world.newId() }, tried, { signal });
      if (bare.status < 300) return;
      expectCode(bare, 'RequiresApp');
      const binding = world.newId();
      const reply = await world.bind({ instance, binding }, tried, { body: world.bindBody(tried, 'app'), signal });
      await world.finished('bind', reply, { path: pathOf(instance, binding), signal });
    }),
  },
  {
    name: 'bind-async-required',
    title: 'a binding in the background of a request that does not accept it is refused with AsyncRequired',
    rule: '422 with AsyncRequired must be returned if bindings can only be made in the background.',
    source: BIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const { body, instance, reply: good } = await world.binding(tried, signal);
      const reply = await world.bind({ instance, binding: world.newId() }, tried, { body, query: '', signal });
      if (good.status === 202 && reply.status !== 201) expectCode(reply, 'AsyncRequired');
      else expectThat(reply.status === 201, `PUT has answered ${shown(reply)}`);
    }),
  },
  {
    name: 'bind-in-progress',
    title: 'while a binding is made in the background, the same request is 202 with the same operation, and GET is 404',
    rule: 'A re-sent PUT must return 202 with the same operation if the binding is not yet fully created; fetching it returns 404.',
    source: BIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const { body, instance } = await world.binding(tried, signal);
      const binding = world.newId();
      const path = pathOf(instance, binding);
      const first = await world.bind({ instance, binding }, tried, { body, signal });
      if (first.status !== 202) return;
      const look = await world.lastOperation(path, { signal });
      checkState(look, 'last_operation');
      const again = await world.bind({ instance, binding }, tried, { body, signal });
      const got = bindingsRetrievable(tried) ? await world.get(path, signal) : undefined;
      const isOver = objectOf(await world.lastOperation(path, { signal }))['state'] !== 'in progress';
      if (!isOver) {
        expectThat(again.status === 202, `the same request has answered ${shown(again)}`);
        const [one, two] = [objectOf(first)['operation'], objectOf(again)['operation']];
        expectThat(deepEqual(one, two), `the same request has the operation ${String(two)}, and not ${String(one)}`);
        if (got !== undefined) expectRefusal(got, [404], 'GET of a binding that is being made');
      }
      await world.finished('bind', first, { path, signal });
    }),
  },
  {
    name: 'bind-rotate',
    title: 'a binding succeeds another, and both are there',
    rule: 'With binding_rotatable, predecessor_binding_id makes a new binding; both must be valid in parallel.',
    source: 'OSB 2.17, Binding Rotation',
    level: 'must',
    ...eachPlan(
      async (tried, world, signal) => {
        const { id, instance } = await world.binding(tried, signal);
        const binding = world.newId();
        const body = { predecessor_binding_id: id, service_id: tried.service.id, plan_id: tried.plan.id };
        const reply = await world.bind({ instance, binding }, tried, { body, signal });
        await world.finished('bind', reply, { path: pathOf(instance, binding), signal });
        for (const each of [id, binding]) {
          if (!bindingsRetrievable(tried)) continue;
          const got = await world.get(pathOf(instance, each), signal);
          expectThat(got.status === 200, `GET of the ${each === id ? 'former' : 'new'} one has answered ${shown(got)}`);
        }
      },
      (tried) => isBindable(tried) && tried.plan.binding_rotatable === true,
      'has binding_rotatable',
    ),
  },
  {
    name: 'fetch-binding',
    title: 'a binding can be fetched as soon as it is there',
    rule: 'With bindings_retrievable the endpoint must be available immediately after the binding was made; credentials must be returned if it was made in the background.',
    source: FETCH,
    level: 'must',
    ...eachRetrievable(async (tried, world, signal) => {
      const { id, instance, reply } = await world.binding(tried, signal);
      const got = await world.get(pathOf(instance, id), signal);
      expectThat(got.status === 200, `GET has answered ${shown(got)}`);
      const body = expectObject(got, 'GET');
      const made = reply.status === 202 ? {} : objectOf(reply);
      for (const field of INFORMATION)
        expectThat(
          made[field] === undefined || body[field] === undefined || deepEqual(made[field], body[field]),
          `"${field}" of GET differs from that of PUT`,
        );
    }),
  },
  {
    name: 'fetch-binding-unknown',
    title: 'a binding that is not there is 404',
    rule: '404 Not Found must be returned if the binding does not exist.',
    source: FETCH,
    level: 'must',
    ...eachRetrievable(async (tried, world, signal) => {
      const instance = await world.instance(tried, signal);
      expectRefusal(await world.get(pathOf(instance, world.newId()), signal), [404], 'GET');
    }),
  },
  {
    name: 'binding-operation-unknown',
    title: 'last_operation of a binding that is not there is 404',
    rule: '404 Not Found must be returned if the binding being polled does not exist.',
    source: POLL,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const path = pathOf(await world.instance(tried, signal), world.newId());
      expectRefusal(await world.lastOperation(path, { signal }), [404], 'last_operation');
    }),
  },
];

/** DELETE of a binding that lacks a parameter. */
function unbindWithout(field: 'service_id' | 'plan_id'): Rule {
  return {
    name: `unbind-without-${field.replace(/_.*/, '')}`,
    title: `DELETE of a binding without "${field}" is refused with 400, and the binding stays`,
    rule: MANDATORY,
    source: UNBIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const { id: binding, instance } = await world.binding(tried, signal);
      const query = new URLSearchParams(deleteQuery(tried));
      query.delete(field);
      expectRefusal(
        await world.unbind({ instance, binding }, tried, { query: query.toString(), signal }),
        [400],
        'DELETE',
      );
      const reply = await world.unbind({ instance, binding }, tried, { signal });
      expectThat(reply.status === 200 || reply.status === 202, `DELETE afterwards has answered ${shown(reply)}`);
    }),
  };
}

export const unbindCases: readonly Rule[] = [
  {
    name: 'unbind',
    title: 'a binding is deleted, 200 or 202, and gone then: 410 and 404',
    rule: '200 OK must be returned if the binding was deleted, 202 while that is in progress, 410 if it does not exist.',
    source: UNBIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const { id: binding, instance } = await world.binding(tried, signal);
      const reply = await world.unbind({ instance, binding }, tried, { signal });
      expectObject(reply, 'DELETE');
      if (reply.status === 202) checkBegun(reply, 'DELETE');
      await world.finished('unbind', reply, { path: pathOf(instance, binding), signal });
      expectRefusal(await world.unbind({ instance, binding }, tried, { signal }), [410], 'DELETE again');
      if (bindingsRetrievable(tried))
        expectRefusal(await world.get(pathOf(instance, binding), signal), [404], 'GET of what was deleted');
    }),
  },
  {
    name: 'unbind-unknown',
    title: 'DELETE of a binding that is not there is 410',
    rule: '410 Gone must be returned if the binding does not exist.',
    source: UNBIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const instance = await world.instance(tried, signal);
      expectRefusal(await world.unbind({ instance, binding: world.newId() }, tried, { signal }), [410], 'DELETE');
    }),
  },
  unbindWithout('service_id'),
  unbindWithout('plan_id'),
  {
    name: 'unbind-async-required',
    title: 'DELETE of a binding in the background of a request that does not accept it is refused with AsyncRequired',
    rule: '422 with AsyncRequired must be returned if bindings can only be deleted in the background.',
    source: UNBIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const { id: binding, instance } = await world.binding(tried, signal);
      const query = new URLSearchParams(deleteQuery(tried));
      query.delete('accepts_incomplete');
      const reply = await world.unbind({ instance, binding }, tried, { query: query.toString(), signal });
      if (reply.status !== 200) expectCode(reply, 'AsyncRequired');
    }),
  },
  {
    name: 'bindings-apart',
    title: 'deleting one binding leaves the others',
    rule: 'The id of a binding correlates requests with what they made.',
    source: UNBIND,
    level: 'must',
    ...eachBindable(async (tried, world, signal) => {
      const one = await world.binding(tried, signal);
      const two = await world.binding(tried, signal, one.instance);
      const { instance } = one;
      const reply = await world.unbind({ instance, binding: one.id }, tried, { signal });
      await world.finished('unbind', reply, { path: pathOf(instance, one.id), signal });
      const other = await world.unbind({ instance, binding: two.id }, tried, { signal });
      expectThat(other.status === 200 || other.status === 202, `DELETE of the other one has answered ${shown(other)}`);
    }),
  },
];

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/;

/** What the specification forbids in what a binding gives. */
function bindingProblems(body: Readonly<Record<string, unknown>>, requires: readonly string[]): readonly string[] {
  const found: string[] = [];
  const needs = {
    syslog_drain_url: 'syslog_drain',
    route_service_url: 'route_forwarding',
    volume_mounts: 'volume_mount',
  };
  for (const [field, permission] of Object.entries(needs))
    if (body[field] !== undefined && !requires.includes(permission))
      found.push(`"${field}" without "${permission}" in "requires"`);
  for (const mount of listOf(body['volume_mounts'])) {
    const { driver, container_dir: folder, mode, device_type: type, device } = mount;
    const isWhole = typeof driver === 'string' && typeof folder === 'string' && (mode === 'r' || mode === 'rw');
    if (!isWhole || type !== 'shared' || !isJsonObject(device) || typeof device['volume_id'] !== 'string')
      found.push(`the volume mount ${JSON.stringify(mount)} lacks a field, or has a wrong one`);
  }
  for (const { host, ports, protocol = 'tcp' } of listOf(body['endpoints']))
    if (
      typeof host !== 'string' ||
      !Array.isArray(ports) ||
      ports.length === 0 ||
      !ports.every((port) => /^\d+(-\d+)?$/.test(String(port)) && typeof port === 'string') ||
      !['tcp', 'udp', 'all'].includes(String(protocol))
    )
      found.push(`the endpoint ${JSON.stringify({ host, ports, protocol })} lacks a field, or has a wrong one`);
  const { expires_at: end, renew_before: renew } = isJsonObject(body['metadata']) ? body['metadata'] : {};
  for (const date of [end, renew])
    if (date !== undefined && !DATE.test(String(date)))
      found.push(`${JSON.stringify(date)} is no date such as 2029-12-31T23:59:59.0Z`);
  if (typeof end === 'string' && typeof renew === 'string' && Date.parse(renew) > Date.parse(end))
    found.push(`renew_before ${renew} is after expires_at ${end}`);
  return found;
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
