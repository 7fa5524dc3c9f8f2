import { deepEqual } from '../../../base/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import { checkBegun, checkDashboard, checkState, expectObject, objectOf } from '../answers.ts';
import { type BrokerWorld, expectRefusal, pathOf, shown, type TriedPlan } from '../broker-world.ts';
import { eachAsyncPlan, eachPlan, hasMaintenance, isRetrievable } from './each-plan.ts';
import { expectCode } from './expect-code.ts';

const PROVISION = 'OSB 2.17, Provisioning';
const FETCH = 'OSB 2.17, Fetching a Service Instance';
const POLL = 'OSB 2.17, Polling Last Operation for Service Instances';
const ASYNC = 'OSB 2.17, Asynchronous Operations';
const DEPROVISION = 'OSB 2.17, Deprovisioning';
const MANDATORY = '400 Bad Request must be returned if the request is malformed or missing mandatory data.';

type Rule = ConformCase<BrokerWorld>;

/** A request for an instance that lacks a field. */
function without(field: string): Rule {
  return {
    name: `provision-without-${field.replace(/_.*/, '')}`,
    title: `a request for an instance without "${field}" is refused with 400`,
    rule: MANDATORY,
    source: PROVISION,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const { [field]: _, ...body } = world.instanceBody(tried);
      const id = world.newId();
      expectRefusal(await world.provision(id, tried, { body, signal }), [400], `a request without "${field}"`);
      expectRefusal(await world.deprovision(id, tried, { signal }), [410], 'DELETE of the instance that was refused');
    }),
  };
}

export const provisionCases: readonly Rule[] = [
  {
    name: 'provision',
    title: 'an instance is made: 201, or 202 and in the end succeeded',
    rule: '201 Created must be returned if the instance was provisioned as a result of this request, 202 if that is in progress.',
    source: PROVISION,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = world.newId();
      const reply = await world.provision(id, tried, { signal });
      expectThat(reply.status === 201 || reply.status === 202, `PUT has answered ${shown(reply)}`);
      checkDashboard(reply, 'PUT');
      if (reply.status === 202) checkBegun(reply, 'PUT');
      await world.finished('provision', reply, { path: pathOf(id), signal });
    }),
  },
  {
    name: 'provision-again',
    title: 'the same request for an instance that is there is answered with 200',
    rule: '200 OK should be returned if the instance exists, is fully provisioned, and the requested parameters are identical.',
    source: PROVISION,
    level: 'should',
    ...eachPlan(async (tried, world, signal) => {
      const id = await world.instance(tried, signal);
      const reply = await world.provision(id, tried, { signal });
      expectThat(reply.status === 200, `PUT again has answered ${shown(reply)}`);
      checkDashboard(reply, 'PUT again');
    }),
  },
  {
    name: 'provision-conflict',
    title: 'a request with other attributes for an instance that is there is refused with 409',
    rule: '409 Conflict must be returned if an instance with the same id exists or is being provisioned with different attributes.',
    source: PROVISION,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = await world.instance(tried, signal);
      const other = tried.service.plans.find(({ id: plan }) => plan !== tried.plan.id);
      const change = other === undefined ? { space_guid: 'keelson-conform-other' } : { plan_id: other.id };
      const body = { ...world.instanceBody(tried), ...change };
      expectRefusal(await world.provision(id, tried, { body, signal }), [409], 'PUT with other attributes');
    }),
  },
  without('service_id'),
  without('plan_id'),
  without('organization_guid'),
  without('space_guid'),
  {
    name: 'provision-malformed',
    title: 'a request for an instance whose body is no JSON object is refused with 400',
    rule: MANDATORY,
    source: PROVISION,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      for (const body of ['{', '[]', 'null', '']) {
        const reply = await world.provision(world.newId(), tried, { body, signal });
        expectRefusal(reply, [400], `the body ${JSON.stringify(body)}`);
      }
    }),
  },
  {
    name: 'provision-unknown',
    title: 'a service or plan that the catalog does not have is refused',
    rule: 'service_id and plan_id must be ids of the catalog; nothing is made for others.',
    source: PROVISION,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      for (const field of ['service_id', 'plan_id']) {
        const body = { ...world.instanceBody(tried), [field]: world.newId() };
        const reply = await world.provision(world.newId(), tried, { body, signal });
        expectThat(reply.status >= 400 && reply.status < 500, `an unknown ${field} was answered with ${shown(reply)}`);
      }
    }),
  },
  {
    name: 'unknown-fields',
    title: 'fields that the broker does not know are ignored',
    rule: 'Receivers of messages with unknown extension fields must ignore those fields.',
    source: 'OSB 2.17, Vendor Extension Fields',
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = world.newId();
      const body = { ...world.instanceBody(tried), 'x-keelson-conform': { a: [1] } };
      await world.finished('provision', await world.provision(id, tried, { body, signal }), {
        path: pathOf(id),
        signal,
      });
    }),
  },
  {
    name: 'originating-identity',
    title: 'requests with an originating identity and a request identity are served',
    rule: 'Platforms may send X-Broker-API-Originating-Identity, a platform and base64 of a JSON object.',
    source: 'OSB 2.17, Originating Identity',
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = world.newId();
      const user = Buffer.from(JSON.stringify({ username: 'keelson', groups: [] })).toString('base64');
      const headers = {
        'x-broker-api-originating-identity': `kubernetes ${user}`,
        'x-broker-api-request-identity': world.newId(),
      };
      const reply = await world.provision(id, tried, { headers, signal });
      await world.finished('provision', reply, { path: pathOf(id), signal });
    }),
  },
  {
    name: 'provision-schema',
    title: 'parameters that do not fit the schema are refused',
    rule: 'Brokers should ensure that the client has provided valid configuration parameters.',
    source: PROVISION,
    level: 'should',
    ...eachPlan(
      async (tried, world, signal) => {
        const wrong = wrongParameters(tried);
        const body = { ...world.instanceBody(tried), parameters: { ...world.options.parameters, ...wrong } };
        const reply = await world.provision(world.newId(), tried, { body, signal });
        expectThat(
          reply.status >= 400 && reply.status < 500,
          `parameters ${JSON.stringify(wrong)} were answered with ${shown(reply)}`,
        );
      },
      (tried) => wrongParameters(tried) !== undefined,
      'has a schema with a type',
    ),
  },
  {
    name: 'maintenance-conflict',
    title: 'an instance of another maintenance version than the catalog has is refused with MaintenanceInfoConflict',
    rule: '422 with MaintenanceInfoConflict must be returned if maintenance_info.version does not match the catalog.',
    source: PROVISION,
    level: 'must',
    ...eachPlan(
      async (tried, world, signal) => {
        const body = { ...world.instanceBody(tried), maintenance_info: { version: '0.0.1-keelson-conform' } };
        const id = world.newId();
        expectCode(await world.provision(id, tried, { body, signal }), 'MaintenanceInfoConflict');
        const right = { ...world.instanceBody(tried), maintenance_info: tried.plan.maintenance_info };
        const reply = await world.provision(id, tried, { body: right, signal });
        await world.finished('provision', reply, { path: pathOf(id), signal });
      },
      hasMaintenance,
      'has maintenance_info',
    ),
  },
  {
    name: 'provision-race',
    title: 'two requests for the same instance at the same time make one',
    rule: 'A request that cannot be processed for another one must be rejected with 422 ConcurrencyError.',
    source: 'OSB 2.17, Blocking Operations',
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      const id = world.newId();
      const replies = await Promise.all([1, 2, 3].map(() => world.provision(id, tried, { signal })));
      const created = replies.filter(({ status }) => status === 201).length;
      expectThat(created <= 1, `${created} of three requests were answered with 201`);
      for (const reply of replies) {
        if (reply.status === 422) expectCode(reply, 'ConcurrencyError');
        else expectThat([200, 201, 202].includes(reply.status), `one request was answered with ${shown(reply)}`);
      }
      const operations = new Set(
        replies.filter(({ status }) => status === 202).map((each) => objectOf(each)['operation']),
      );
      expectThat(operations.size <= 1, `the same request has begun ${operations.size} operations`);
      const first = replies.find(({ status }) => status === 202) ?? replies.find(({ status }) => status < 300);
      expectThat(first !== undefined, 'all of three requests were refused');
      await world.finished('provision', first, { path: pathOf(id), signal });
    }),
  },
  {
    name: 'async-required',
    title:
      'plans that work in the background refuse requests that do not accept it with AsyncRequired, and make nothing',
    rule: '422 with AsyncRequired must be returned if accepts_incomplete is missing or false; 4xx must leave everything unchanged.',
    source: ASYNC,
    level: 'must',
    ...eachPlan(async (tried, world, signal) => {
      for (const query of ['', 'accepts_incomplete=false']) {
        const id = world.newId();
        const reply = await world.provision(id, tried, { query, signal });
        if (reply.status === 201) continue;
        expectCode(reply, 'AsyncRequired');
        expectRefusal(await world.deprovision(id, tried, { signal }), [410], 'DELETE of the instance that was refused');
      }
    }),
  },
  {
    name: 'provision-in-progress',
    title:
      'while an instance is made in the background, the same request is 202 with the same operation, others are 409, and GET is 404',
    rule: 'A re-sent PUT must return 202 with the same operation if the instance is not yet fully provisioned, and 409 with other attributes; fetching it returns 404.',
    source: PROVISION,
    level: 'must',
    ...eachAsyncPlan(async (tried, world, signal) => {
      const id = world.newId();
      const first = await world.provision(id, tried, { signal });
      expectThat(first.status === 202, `PUT has answered ${shown(first)}`);
      const asked = [
        await world.provision(id, tried, { signal }),
        await world.provision(id, tried, { body: { ...world.instanceBody(tried), space_guid: 'other' }, signal }),
        isRetrievable(tried) ? await world.get(pathOf(id), signal) : undefined,
      ] as const;
      const [again, other, got] = asked;
      const isOver = objectOf(await world.lastOperation(pathOf(id), { signal }))['state'] !== 'in progress';
      if (!isOver) {
        expectThat(again.status === 202, `the same request has answered ${shown(again)}`);
        const [one, two] = [objectOf(first)['operation'], objectOf(again)['operation']];
        expectThat(deepEqual(one, two), `the same request has the operation ${String(two)}, and not ${String(one)}`);
        if (got !== undefined) expectRefusal(got, [404], 'GET of an instance that is being made');
      }
      expectRefusal(other, [409], 'PUT with other attributes');
      await world.finished('provision', first, { path: pathOf(id), signal });
    }),
  },
  {
    name: 'provision-halted',
    title:
      'an instance that is deleted while it is made is gone in the end, or the deletion is refused with ConcurrencyError',
    rule: 'Accepting the deletion must have the net effect of halting the creation and removing everything.',
    source: DEPROVISION,
    level: 'must',
    ...eachAsyncPlan(async (tried, world, signal) => {
      const id = world.newId();
      const begun = await world.provision(id, tried, { signal });
      const reply = await world.deprovision(id, tried, { signal });
      if (reply.status === 422) {
        expectCode(reply, 'ConcurrencyError');
        await world.finished('provision', begun, { path: pathOf(id), signal });
        return;
      }
      await world.finished('deprovision', reply, { path: pathOf(id), signal });
      expectRefusal(await world.deprovision(id, tried, { signal }), [410], 'DELETE of the instance that was halted');
    }),
  },
  {
    name: 'last-operation',
    title: 'last_operation says in progress, succeeded or failed, and remembers it',
    rule: 'The state is one of three; a description is a text that is not empty; brokers should not forget the state immediately.',
    source: POLL,
    level: 'must',
    ...eachAsyncPlan(async (tried, world, signal) => {
      const id = world.newId();
      const begun = await world.provision(id, tried, { signal });
      const operation = objectOf(begun)['operation'];
      const given = typeof operation === 'string' ? { operation } : {};
      const look = await world.lastOperation(pathOf(id), { ...given, signal });
      expectThat(look.status === 200, `last_operation has answered ${shown(look)}`);
      checkState(look, 'last_operation');
      const body = objectOf(look);
      for (const field of ['instance_usable', 'update_repeatable'])
        expectThat(body[field] === undefined, `last_operation of provisioning has "${field}"`);
      await world.finished('provision', begun, { path: pathOf(id), signal });
      const again = await world.lastOperation(pathOf(id), { ...given, signal });
      expectThat(
        again.status === 200 && checkState(again, 'last_operation') === 'succeeded',
        `last_operation after the end has answered ${shown(again)}`,
      );
    }),
  },
  {
    name: 'last-operation-unknown',
    title: 'last_operation of an instance that is not there is 404',
    rule: '404 Not Found must be returned if the instance being polled does not exist.',
    source: POLL,
    level: 'must',
    run: async (world, signal) =>
      expectRefusal(await world.lastOperation(pathOf(world.newId()), { signal }), [404], 'last_operation'),
  },
  {
    name: 'fetch',
    title: 'an instance can be fetched as soon as it is there',
    rule: 'With instances_retrievable the endpoint must be available immediately after the instance was provisioned.',
    source: FETCH,
    level: 'must',
    ...eachPlan(
      async (tried, world, signal) => {
        const id = await world.instance(tried, signal);
        const reply = await world.get(pathOf(id), signal);
        expectThat(reply.status === 200, `GET has answered ${shown(reply)}`);
        checkDashboard(reply, 'GET');
        const { service_id: service = tried.service.id, plan_id: plan = tried.plan.id } = expectObject(reply, 'GET');
        expectThat(
          service === tried.service.id && plan === tried.plan.id,
          `GET says service ${JSON.stringify(service)} and plan ${JSON.stringify(plan)}`,
        );
      },
      isRetrievable,
      'has instances_retrievable',
    ),
  },
  {
    name: 'fetch-unknown',
    title: 'an instance that is not there is 404',
    rule: '404 Not Found must be returned if the instance does not exist.',
    source: FETCH,
    level: 'must',
    ...eachPlan(
      async (_, world, signal) => expectRefusal(await world.get(pathOf(world.newId()), signal), [404], 'GET'),
      isRetrievable,
      'has instances_retrievable',
    ),
  },
];

/** A parameter of the wrong type; undefined when the schema of the plan says no types. */
function wrongParameters({ plan }: TriedPlan): Readonly<Record<string, unknown>> | undefined {
  const schema = plan.schemas?.service_instance?.create?.parameters ?? {};
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { readonly type?: unknown }>> };
  const found = Object.entries(properties).find(([, { type }]) => typeof type === 'string');
  if (found === undefined) return undefined;
  const [name, { type }] = found;
  return { [name]: type === 'string' ? { not: 'a text' } : 'keelson-conform' };
}
