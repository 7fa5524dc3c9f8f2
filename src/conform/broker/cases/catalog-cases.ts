import { catalogFindings, type CatalogRule } from '../../../broker/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import { type BrokerWorld, expectRefusal, pathOf, shown } from '../broker-world.ts';

const CATALOG = 'OSB 2.17, Catalog Management';
const AUTHENTICATION = 'OSB 2.17, Platform to Service Broker Authentication';

/** A rule about what the catalog says. */
function contents(rule: CatalogRule, name: string, title: string, text: string): ConformCase<BrokerWorld> {
  return {
    name,
    title,
    rule: text,
    source: CATALOG,
    level: 'must',
    async run(world, signal) {
      const { body } = await world.send({ method: 'GET', path: '/v2/catalog', signal });
      const found = catalogFindings(body).filter((each) => each.rule === rule);
      expectThat(found.length === 0, found.map((each) => each.text).join('\n'));
    },
  };
}

export const catalogCases: readonly ConformCase<BrokerWorld>[] = [
  {
    name: 'catalog',
    title: 'GET /v2/catalog answers 200 with services',
    rule: '200 OK must be returned upon successful processing, with "services".',
    source: CATALOG,
    level: 'must',
    run: async (world, signal) => void (await world.catalog(signal)),
  },
  contents(
    'fields',
    'catalog-fields',
    'services and plans have the fields that they need, of the right types',
    'Services have name, id, description, bindable and plans; plans have id, name and description; none is empty.',
  ),
  contents('ids', 'catalog-ids', 'each service and plan has an id of its own', 'Ids must be globally unique.'),
  contents(
    'names',
    'catalog-names',
    'names are used once',
    'Names must be unique among services, and among the plans of a service.',
  ),
  contents('plans', 'catalog-plans', 'each service has a plan', 'A service must have at least one plan.'),
  contents(
    'schemas',
    'catalog-schemas',
    'schemas say their version, refer to nothing outside and are small',
    'Schemas must have "$schema", must not contain external references and must not be larger than 64 kB.',
  ),
  contents(
    'maintenance',
    'catalog-maintenance',
    'maintenance versions are semantic',
    'The version of maintenance_info must conform to semantic versioning 2.0.',
  ),
  {
    name: 'catalog-same',
    title: 'the catalog has the same ids when it is read again',
    rule: 'A broker must not change the id of a service or plan across queries.',
    source: CATALOG,
    level: 'must',
    async run(world, signal) {
      const idsOf = async (): Promise<string> => {
        const { services } = (await world.send({ method: 'GET', path: '/v2/catalog', signal })).body as {
          services: { name: string; id: string; plans: { name: string; id: string }[] }[];
        };
        return services
          .flatMap(({ name, id, plans }) => [
            `${name} ${id}`,
            ...plans.map((plan) => `${name}/${plan.name} ${plan.id}`),
          ])
          .toSorted()
          .join(', ');
      };
      const [first, second] = [await idsOf(), await idsOf()];
      expectThat(first === second, `first it had ${first}, then ${second}`);
    },
  },
  {
    name: 'catalog-etag',
    title: 'a catalog with an ETag is not sent again to a platform that has it',
    rule: 'Brokers may support ETag to enable caching, as RFC 7232 says: If-None-Match with it is answered with 304.',
    source: CATALOG,
    level: 'should',
    async run(world, signal) {
      const { etag } = (await world.send({ method: 'GET', path: '/v2/catalog', signal })).headers;
      if (etag === undefined) return;
      const again = await world.send({
        method: 'GET',
        path: '/v2/catalog',
        headers: { 'if-none-match': etag },
        signal,
      });
      expectThat(again.status === 304, `If-None-Match with the ETag ${etag} was answered with ${again.status}`);
    },
  },
  {
    name: 'content-type',
    title: 'answers are application/json',
    rule: 'Responses with bodies should have Content-Type application/json.',
    source: 'OSB 2.17, Content Type',
    level: 'should',
    async run(world, signal) {
      const replies = [
        await world.send({ method: 'GET', path: '/v2/catalog', signal }),
        await world.send({ method: 'PUT', path: pathOf(world.newId()), body: '{}', signal }),
      ];
      for (const { status, headers, text } of replies)
        expectThat(
          text === '' || /^application\/json\b/.test(headers['content-type'] ?? ''),
          `an answer ${status} has Content-Type ${headers['content-type'] ?? 'missing'}`,
        );
    },
  },
  {
    name: 'auth-missing',
    title: 'every path refuses requests without credentials with 401',
    rule: 'The broker must authenticate the request, and must return 401 if that fails.',
    source: AUTHENTICATION,
    level: 'must',
    skip: (world) => (world.hasCredentials ? undefined : 'no credentials were given'),
    async run(world, signal) {
      const id = pathOf(world.newId());
      const binding = pathOf(world.newId(), world.newId());
      const calls = [
        'GET /v2/catalog',
        `PUT ${id}`,
        `GET ${id}`,
        `PATCH ${id}`,
        `DELETE ${id}`,
        `GET ${id}/last_operation`,
      ];
      for (const call of [
        ...calls,
        `PUT ${binding}`,
        `GET ${binding}`,
        `DELETE ${binding}`,
        `GET ${binding}/last_operation`,
      ]) {
        const [method = '', path = ''] = call.split(' ');
        const headers = { authorization: undefined };
        const reply = await world.send({ method, path, headers, body: method[0] === 'P' ? '{}' : undefined, signal });
        expectThat(reply.status === 401, `${call} without credentials was answered with ${shown(reply)}`);
      }
    },
  },
  {
    name: 'auth-wrong',
    title: 'wrong credentials are refused with 401',
    rule: 'The broker must authenticate the request, and must return 401 if that fails.',
    source: AUTHENTICATION,
    level: 'must',
    skip: (world) => (world.hasCredentials ? undefined : 'no credentials were given'),
    async run(world, signal) {
      const { username = 'keelson' } = world.options.basic ?? {};
      const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
      for (const authorization of [
        basic(`${username}:keelson-wrong`),
        basic(`${username}:`),
        basic(':'),
        'Bearer keelson-wrong',
        'Basic ???',
      ]) {
        const reply = await world.send({ method: 'GET', path: '/v2/catalog', headers: { authorization }, signal });
        expectThat(reply.status === 401, `Authorization "${authorization}" was answered with ${shown(reply)}`);
      }
    },
  },
  {
    name: 'version',
    title: 'a version that the broker does not know is served or refused with 412, and a missing one with 400 or 412',
    rule: 'A broker may reject versions with 412 Precondition Failed, and requests without a version with 400.',
    source: 'OSB 2.17, API Version Header',
    level: 'must',
    async run(world, signal) {
      const asked = (version: string | undefined): ReturnType<BrokerWorld['send']> =>
        world.send({ method: 'GET', path: '/v2/catalog', headers: { 'x-broker-api-version': version }, signal });
      const unknown = await asked('1.0');
      if (unknown.status !== 200) expectRefusal(unknown, [412], 'version 1.0');
      const missing = await asked(undefined);
      if (missing.status !== 200) expectRefusal(missing, [400, 412], 'a request without a version');
    },
  },
  {
    name: 'request-identity',
    title: 'the identity of a request comes back',
    rule: 'The broker should include X-Broker-API-Request-Identity in the response.',
    source: 'OSB 2.17, Request Identity',
    level: 'should',
    async run(world, signal) {
      const id = world.newId();
      const headers = { 'x-broker-api-request-identity': id };
      const reply = await world.send({ method: 'GET', path: '/v2/catalog', headers, signal });
      const got = reply.headers['x-broker-api-request-identity'];
      expectThat(got === id, `the answer has ${got ?? 'none'}`);
    },
  },
];
