// Faults of brokers, each planted between a good broker and the suite.
import type { BrokerAnswer, BrokerRequest } from '../../../src/broker/published.ts';

type Next = (request: BrokerRequest) => Promise<BrokerAnswer>;
/** Answers in place of the good broker. */
type Fault = (request: BrokerRequest, next: Next) => BrokerAnswer | Promise<BrokerAnswer>;

interface PlantedFault {
  readonly fault: string;
  readonly foundBy: string;
  readonly answer: Fault;
  /** Lets every request in. */
  readonly isOpen?: boolean;
}

type Fields = Record<string, unknown>;
type Path = 'catalog' | 'instance' | 'binding' | 'operation' | 'binding operation';

function pathOf({ url }: BrokerRequest): Path {
  const path = url.split('?')[0] ?? '';
  if (path === '/v2/catalog') return 'catalog';
  const isBinding = path.includes('/service_bindings/');
  if (path.endsWith('/last_operation')) return isBinding ? 'binding operation' : 'operation';
  return isBinding ? 'binding' : 'instance';
}

const bodyOf = ({ body }: BrokerAnswer): Fields => body as Fields;
const answered = (status: number, body: Fields = {}): BrokerAnswer => ({ status, body });

/** Changes answers to some requests. */
function answers(call: string, change: (answer: BrokerAnswer, request: BrokerRequest) => BrokerAnswer): Fault {
  return async (request, next) => {
    const answer = await next(request);
    return `${request.method} ${pathOf(request)}` === call ? change(answer, request) : answer;
  };
}

/** Changes requests before the good broker gets them. */
function requests(call: string, change: (request: BrokerRequest) => BrokerRequest): Fault {
  return (request, next) => next(`${request.method} ${pathOf(request)}` === call ? change(request) : request);
}

/** Changes an answer with some status to another one. */
const status = (call: string, from: number, to: number, error?: string): Fault =>
  answers(call, (answer) =>
    answer.status === from && (error === undefined || bodyOf(answer)['error'] === error)
      ? { ...answer, status: to }
      : answer,
  );

/** Fills in what a good broker misses. */
function lenient(call: string, field: string, value: string): Fault {
  return requests(call, (request) => {
    if (request.method === 'DELETE') {
      const [path = '', query = ''] = request.url.split('?');
      const filled = new URLSearchParams(query);
      if (!filled.has(field)) filled.set(field, value);
      return { ...request, url: `${path}?${filled.toString()}` };
    }
    try {
      const body = JSON.parse(request.body) as Fields | null;
      if (body === null || Array.isArray(body)) return request;
      return { ...request, body: JSON.stringify({ [field]: value, ...body }) };
    } catch {
      return request;
    }
  });
}

/** Takes a body that is no object for a good one. */
const forgiving = (call: string, good: string): Fault =>
  requests(call, (request) => (/^(\{"|$)/.test(request.body) ? request : { ...request, body: good }));

/** Takes all requests as accepting work in the background. */
const acceptsAll = (call: string): Fault =>
  requests(call, (request) => ({
    ...request,
    url: /accepts_incomplete=true/.test(request.url)
      ? request.url
      : `${request.url}${request.url.includes('?') ? '&' : '?'}accepts_incomplete=true`,
  }));

/** Gives each answer 202 an operation of its own. */
function newOperations(call: string): Fault {
  let count = 0;
  return answers(call, (answer) =>
    answer.status === 202 ? { ...answer, body: { ...bodyOf(answer), operation: `o-${count++}` } } : answer,
  );
}

const withBody = (call: string, fields: Fields): Fault =>
  answers(call, (answer) => (answer.status < 300 ? { ...answer, body: { ...bodyOf(answer), ...fields } } : answer));

function catalogWith(change: (catalog: { services: Fields[]; plans: Fields[] }) => void): Fault {
  return answers('GET catalog', (answer) => {
    const catalog = JSON.parse(JSON.stringify(answer.body)) as { services: (Fields & { plans: Fields[] })[] };
    change({ services: catalog.services, plans: catalog.services.flatMap(({ plans }) => plans) });
    return { ...answer, body: catalog };
  });
}

const schema = (fields: Fields): Fields => ({ service_instance: { create: { parameters: fields } } });
const SERVICE = 'd6b4c7f0-0001-4000-8000-000000000001';
const NOW = 'd6b4c7f0-0001-4000-8000-000000000002';
const good = JSON.stringify({ service_id: SERVICE, plan_id: NOW, organization_guid: 'o', space_guid: 's' });
let read = 0;

export const plantedFaults: readonly PlantedFault[] = [
  { fault: 'no catalog', foundBy: 'catalog', answer: status('GET catalog', 200, 204) },
  {
    fault: 'an empty description',
    foundBy: 'catalog-fields',
    answer: catalogWith(({ plans: [plan] }) => Object.assign(plan ?? {}, { description: '' })),
  },
  {
    fault: 'an unknown permission',
    foundBy: 'catalog-fields',
    answer: catalogWith(({ services: [service] }) => Object.assign(service ?? {}, { requires: ['everything'] })),
  },
  {
    fault: 'an id twice',
    foundBy: 'catalog-ids',
    answer: catalogWith(({ plans: [one, two] }) => Object.assign(two ?? {}, { id: one?.['id'] })),
  },
  {
    fault: 'a name twice',
    foundBy: 'catalog-names',
    answer: catalogWith(({ plans: [one, two] }) => Object.assign(two ?? {}, { name: one?.['name'] })),
  },
  {
    fault: 'a service without plans',
    foundBy: 'catalog-plans',
    answer: catalogWith(({ services: [service] }) => Object.assign(service ?? {}, { plans: [] })),
  },
  {
    fault: 'a schema without its version',
    foundBy: 'catalog-schemas',
    answer: catalogWith(({ plans: [plan] }) => Object.assign(plan ?? {}, { schemas: schema({ type: 'object' }) })),
  },
  {
    fault: 'a schema that refers outside',
    foundBy: 'catalog-schemas',
    answer: catalogWith(({ plans: [plan] }) =>
      Object.assign(plan ?? {}, { schemas: schema({ $schema: 'x', $ref: 'https://example.com' }) }),
    ),
  },
  {
    fault: 'a large schema',
    foundBy: 'catalog-schemas',
    answer: catalogWith(({ plans: [plan] }) =>
      Object.assign(plan ?? {}, { schemas: schema({ $schema: 'x', title: 'x'.repeat(70_000) }) }),
    ),
  },
  {
    fault: 'a version that is not semantic',
    foundBy: 'catalog-maintenance',
    answer: catalogWith(({ plans: [plan] }) => Object.assign(plan ?? {}, { maintenance_info: { version: 'v1' } })),
  },
  {
    fault: 'ids that change',
    foundBy: 'catalog-same',
    answer: catalogWith(({ plans: [plan] }) => Object.assign(plan ?? {}, { id: `id-${read++}` })),
  },
  {
    fault: 'an ETag that is not compared',
    foundBy: 'catalog-etag',
    answer: requests('GET catalog', (request) => ({
      ...request,
      headers: { ...request.headers, 'if-none-match': undefined },
    })),
  },
  {
    fault: 'text',
    foundBy: 'content-type',
    answer: answers('GET catalog', (answer) => ({ ...answer, headers: { 'content-type': 'text/plain' } })),
  },
  { fault: 'no authentication', foundBy: 'auth-missing', answer: (request, next) => next(request), isOpen: true },
  {
    fault: 'any password',
    foundBy: 'auth-wrong',
    answer: (request, next) => (request.headers['authorization'] === undefined ? answered(401) : next(request)),
    isOpen: true,
  },
  { fault: 'a wrong status for versions', foundBy: 'version', answer: status('GET catalog', 412, 500) },
  {
    fault: 'no identity of requests',
    foundBy: 'request-identity',
    answer: answers('GET catalog', (answer) => ({ ...answer, headers: { 'x-broker-api-request-identity': 'other' } })),
  },
  { fault: 'provisioning is 204', foundBy: 'provision', answer: status('PUT instance', 201, 204) },
  {
    fault: 'a dashboard that is a number',
    foundBy: 'provision',
    answer: withBody('PUT instance', { dashboard_url: 7 }),
  },
  {
    fault: 'a long operation',
    foundBy: 'provision',
    answer: answers('PUT instance', (answer) =>
      answer.status === 202 ? { ...answer, body: { operation: 'x'.repeat(10_001) } } : answer,
    ),
  },
  { fault: 'provisioning again is 201', foundBy: 'provision-again', answer: status('PUT instance', 200, 201) },
  { fault: 'a conflict is 200', foundBy: 'provision-conflict', answer: status('PUT instance', 409, 200) },
  {
    fault: 'a service is not needed',
    foundBy: 'provision-without-service',
    answer: lenient('PUT instance', 'service_id', SERVICE),
  },
  { fault: 'a plan is not needed', foundBy: 'provision-without-plan', answer: lenient('PUT instance', 'plan_id', NOW) },
  {
    fault: 'an organization is not needed',
    foundBy: 'provision-without-organization',
    answer: lenient('PUT instance', 'organization_guid', 'o'),
  },
  {
    fault: 'a space is not needed',
    foundBy: 'provision-without-space',
    answer: lenient('PUT instance', 'space_guid', 's'),
  },
  { fault: 'a malformed body is 500', foundBy: 'provision-malformed', answer: status('PUT instance', 400, 500) },
  {
    fault: 'an unknown plan is another one',
    foundBy: 'provision-unknown',
    answer: requests('PUT instance', (request) =>
      /0000-00000000000[1-9]"/.test(request.body.slice(0, 140)) || !request.body.startsWith('{"')
        ? request
        : { ...request, body: good },
    ),
  },
  {
    fault: 'unknown fields are refused',
    foundBy: 'unknown-fields',
    answer: async (request, next) => (request.body.includes('x-keelson-conform') ? answered(400) : next(request)),
  },
  {
    fault: 'identities are refused',
    foundBy: 'originating-identity',
    answer: async (request, next) =>
      request.headers['x-broker-api-originating-identity'] === undefined ? next(request) : answered(400),
  },
  {
    fault: 'parameters are not checked',
    foundBy: 'provision-schema',
    answer: requests('PUT instance', (request) => ({
      ...request,
      body: request.body.replace(/"parameters":\{[^}]*\}/, '"parameters":{}'),
    })),
  },
  {
    fault: 'versions are not compared',
    foundBy: 'maintenance-conflict',
    answer: requests('PUT instance', (request) => ({
      ...request,
      body: request.body.replace('0.0.1-keelson-conform', '1.2.3'),
    })),
  },
  {
    fault: 'a conflict of versions is 400',
    foundBy: 'maintenance-conflict',
    answer: status('PUT instance', 422, 400, 'MaintenanceInfoConflict'),
  },
  {
    fault: 'each request makes one',
    foundBy: 'provision-race',
    answer: (request, next) =>
      request.method === 'PUT' && pathOf(request) === 'instance' && request.body.includes(NOW)
        ? answered(201)
        : next(request),
  },
  {
    fault: 'work in the background without being asked',
    foundBy: 'async-required',
    answer: acceptsAll('PUT instance'),
  },
  {
    fault: 'a wrong error code',
    foundBy: 'async-required',
    answer: answers('PUT instance', (answer) =>
      answer.status === 422 ? { ...answer, body: { error: 'NoAsync' } } : answer,
    ),
  },
  {
    fault: 'an empty description of a failure',
    foundBy: 'async-required',
    answer: answers('PUT instance', (answer) =>
      answer.status === 422 ? { ...answer, body: { ...bodyOf(answer), description: '' } } : answer,
    ),
  },
  { fault: 'a new operation each time', foundBy: 'provision-in-progress', answer: newOperations('PUT instance') },
  {
    fault: 'an unfinished instance is shown',
    foundBy: 'provision-in-progress',
    answer: status('GET instance', 404, 200),
  },
  {
    fault: 'deleting halts nothing',
    foundBy: 'provision-halted',
    answer: answers('DELETE instance', (answer) =>
      answer.status === 202 || answer.status === 410 ? { status: 200, body: {} } : answer,
    ),
  },
  {
    fault: 'an unknown state',
    foundBy: 'last-operation',
    answer: answers('GET operation', (answer) =>
      bodyOf(answer)['state'] === 'in progress' ? { ...answer, body: { state: 'running' } } : answer,
    ),
  },
  {
    fault: 'usability of a new instance',
    foundBy: 'last-operation',
    answer: withBody('GET operation', { instance_usable: true }),
  },
  {
    fault: 'an odd Retry-After',
    foundBy: 'last-operation',
    answer: answers('GET operation', (answer) => ({ ...answer, headers: { 'retry-after': 'soon' } })),
  },
  {
    fault: 'everything has succeeded',
    foundBy: 'last-operation-unknown',
    answer: answers('GET operation', (answer) =>
      answer.status === 404 ? { status: 200, body: { state: 'succeeded' } } : answer,
    ),
  },
  { fault: 'instances cannot be fetched', foundBy: 'fetch', answer: status('GET instance', 200, 404) },
  { fault: 'another plan is shown', foundBy: 'fetch', answer: withBody('GET instance', { plan_id: 'other' }) },
  { fault: 'unknown instances are 410', foundBy: 'fetch-unknown', answer: status('GET instance', 404, 410) },
  {
    fault: 'a change of the context is refused',
    foundBy: 'update-context',
    answer: async (request, next) => (request.method === 'PATCH' ? answered(422) : next(request)),
  },
  {
    fault: 'changes are not made',
    foundBy: 'update-parameters',
    answer: (request, next) => (request.method === 'PATCH' ? answered(200) : next(request)),
  },
  {
    fault: 'a change forgets parameters',
    foundBy: 'update-plan',
    answer: answers('GET instance', (answer) =>
      String(bodyOf(answer)['plan_id']).endsWith('3')
        ? { ...answer, body: { ...bodyOf(answer), parameters: {} } }
        : answer,
    ),
  },
  {
    fault: 'a change needs no service',
    foundBy: 'update-without-service',
    answer: lenient('PATCH instance', 'service_id', SERVICE),
  },
  { fault: 'a malformed change is 500', foundBy: 'update-malformed', answer: status('PATCH instance', 400, 500) },
  {
    fault: 'a refused change is made',
    foundBy: 'update-refused',
    answer: answers('PATCH instance', (answer) => (answer.status === 400 ? { status: 200, body: {} } : answer)),
  },
  { fault: 'what is not there is changed', foundBy: 'update-unknown', answer: status('PATCH instance', 404, 200) },
  {
    fault: 'versions of changes are not compared',
    foundBy: 'update-maintenance',
    answer: requests('PATCH instance', (request) => ({
      ...request,
      body: request.body.replace('0.0.1-keelson-conform', '1.2.3'),
    })),
  },
  {
    fault: 'changes in the background without being asked',
    foundBy: 'update-async-required',
    answer: acceptsAll('PATCH instance'),
  },
  { fault: 'a new operation for each change', foundBy: 'update-in-progress', answer: newOperations('PATCH instance') },
  { fault: 'a changing instance is shown', foundBy: 'update-in-progress', answer: status('GET instance', 422, 200) },
  {
    fault: 'bindings give nothing',
    foundBy: 'bind',
    answer: answers('PUT binding', (answer) => (answer.status === 201 ? { ...answer, body: {} } : answer)),
  },
  {
    fault: 'credentials too early',
    foundBy: 'bind',
    answer: answers('PUT binding', (answer) =>
      answer.status === 202 ? { ...answer, body: { ...bodyOf(answer), credentials: {} } } : answer,
    ),
  },
  { fault: 'credentials that are a text', foundBy: 'bind', answer: withBody('PUT binding', { credentials: 'secret' }) },
  {
    fault: 'a drain that is not announced',
    foundBy: 'bind-fields',
    answer: withBody('PUT binding', { syslog_drain_url: 'syslog://x' }),
  },
  {
    fault: 'ports that are numbers',
    foundBy: 'bind-fields',
    answer: withBody('PUT binding', { endpoints: [{ host: 'h', ports: [443] }] }),
  },
  {
    fault: 'half a volume',
    foundBy: 'bind-fields',
    answer: withBody('PUT binding', { volume_mounts: [{ driver: 'd' }] }),
  },
  {
    fault: 'renewal after the end',
    foundBy: 'bind-fields',
    answer: withBody('PUT binding', {
      metadata: { expires_at: '2030-01-01T00:00:00.0Z', renew_before: '2031-01-01T00:00:00.0Z' },
    }),
  },
  { fault: 'binding again is 201', foundBy: 'bind-again', answer: status('PUT binding', 200, 201) },
  { fault: 'a conflict of bindings is 200', foundBy: 'bind-conflict', answer: status('PUT binding', 409, 200) },
  {
    fault: 'a binding needs no service',
    foundBy: 'bind-without-service',
    answer: lenient('PUT binding', 'service_id', SERVICE),
  },
  { fault: 'a binding needs no plan', foundBy: 'bind-without-plan', answer: lenient('PUT binding', 'plan_id', NOW) },
  { fault: 'a malformed binding is made', foundBy: 'bind-malformed', answer: forgiving('PUT binding', good) },
  { fault: 'what is not there is bound', foundBy: 'bind-unknown', answer: status('PUT binding', 404, 201) },
  {
    fault: 'a missing application is 400',
    foundBy: 'bind-requires-app',
    answer: status('PUT binding', 422, 400, 'RequiresApp'),
  },
  {
    fault: 'bindings in the background without being asked',
    foundBy: 'bind-async-required',
    answer: acceptsAll('PUT binding'),
  },
  { fault: 'a new operation for each binding', foundBy: 'bind-in-progress', answer: newOperations('PUT binding') },
  { fault: 'an unfinished binding is shown', foundBy: 'bind-in-progress', answer: status('GET binding', 404, 200) },
  {
    fault: 'rotation is refused',
    foundBy: 'bind-rotate',
    answer: async (request, next) => (request.body.includes('predecessor') ? answered(400) : next(request)),
  },
  { fault: 'bindings cannot be fetched', foundBy: 'fetch-binding', answer: status('GET binding', 200, 404) },
  {
    fault: 'other credentials are shown',
    foundBy: 'fetch-binding',
    answer: withBody('GET binding', { credentials: { user: 'other' } }),
  },
  { fault: 'unknown bindings are 410', foundBy: 'fetch-binding-unknown', answer: status('GET binding', 404, 410) },
  {
    fault: 'every binding has succeeded',
    foundBy: 'binding-operation-unknown',
    answer: answers('GET binding operation', (answer) =>
      answer.status === 404 ? { status: 200, body: { state: 'succeeded' } } : answer,
    ),
  },
  { fault: 'unbinding again is 200', foundBy: 'unbind', answer: status('DELETE binding', 410, 200) },
  { fault: 'unknown bindings are deleted', foundBy: 'unbind-unknown', answer: status('DELETE binding', 410, 404) },
  {
    fault: 'unbinding needs no service',
    foundBy: 'unbind-without-service',
    answer: lenient('DELETE binding', 'service_id', SERVICE),
  },
  {
    fault: 'unbinding needs no plan',
    foundBy: 'unbind-without-plan',
    answer: lenient('DELETE binding', 'plan_id', NOW),
  },
  {
    fault: 'unbinding in the background without being asked',
    foundBy: 'unbind-async-required',
    answer: acceptsAll('DELETE binding'),
  },
  { fault: 'one unbinding is all', foundBy: 'bindings-apart', answer: oneForAll('binding') },
  { fault: 'deleting again is 200', foundBy: 'deprovision', answer: status('DELETE instance', 410, 200) },
  { fault: 'deleted instances are shown', foundBy: 'deprovision', answer: status('GET instance', 404, 200) },
  {
    fault: 'unknown instances are deleted',
    foundBy: 'deprovision-unknown',
    answer: status('DELETE instance', 410, 404),
  },
  {
    fault: 'deleting needs no service',
    foundBy: 'deprovision-without-service',
    answer: lenient('DELETE instance', 'service_id', SERVICE),
  },
  {
    fault: 'deleting needs no plan',
    foundBy: 'deprovision-without-plan',
    answer: lenient('DELETE instance', 'plan_id', NOW),
  },
  {
    fault: 'deleting in the background without being asked',
    foundBy: 'deprovision-async-required',
    answer: acceptsAll('DELETE instance'),
  },
  {
    fault: 'a new operation for each deletion',
    foundBy: 'deprovision-in-progress',
    answer: newOperations('DELETE instance'),
  },
  { fault: 'one deletion is all', foundBy: 'instances-apart', answer: oneForAll('instance') },
  {
    fault: 'escaped ids are not found',
    foundBy: 'ids-escaped',
    answer: async (request, next) =>
      request.url.includes('%20') && request.method === 'DELETE' ? answered(404) : next(request),
  },
];

/** After the first deletion all others are of what is gone. */
function oneForAll(what: Path): Fault {
  let isGone = false;
  return async (request, next) => {
    if (request.method !== 'DELETE' || pathOf(request) !== what) return next(request);
    if (isGone) return answered(410);
    isGone = true;
    return next(request);
  };
}
