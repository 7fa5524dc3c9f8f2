import { describe, expect, test } from 'vitest';
import { alreadyExists, forbidden, notFound, type StatusError } from '../api/index.ts';
import { VirtualClock } from '../base/index.ts';
import { SelfClient } from './self-client.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };
const REFUSED = forbidden(NAMESPACES, 'a', 'it is full');
const object = { metadata: { name: 'a' } };

/** A client of a server that rejects every write and has no objects. */
function clientOf({ status }: StatusError): SelfClient {
  const missing = notFound(NAMESPACES, 'a').status;
  const answer = (method: string): Promise<{ type: 'status'; status: StatusError['status'] }> =>
    Promise.resolve({ type: 'status', status: method === 'GET' ? missing : status });
  const client = new SelfClient(new VirtualClock());
  client.open({ answer: ({ request: { method } }) => answer(method) });
  return client;
}

describe('a rejected write of the server to itself', () => {
  const client = clientOf(REFUSED);

  test.each([
    ['ensure', () => client.ensure('/api/v1/namespaces', object)],
    ['create', () => client.create('/api/v1/namespaces', object)],
    ['update', () => client.update('/api/v1/namespaces/a', object)],
    ['apply', () => client.apply('/api/v1/namespaces/a', object, { fieldManager: 'm' })],
    ['delete', () => client.delete('/api/v1/namespaces/a')],
  ])('fails: %s', async (_verb, write) => {
    await expect(write()).rejects.toMatchObject({ status: { reason: 'Forbidden' } });
  });

  test('is not an error when another server created the object first', async () => {
    expect(await clientOf(alreadyExists(NAMESPACES, 'a')).ensure('/api/v1/namespaces', object)).toBe(false);
  });
});
