import { bearer, connectTo, findConnection, FixedCredentials } from 'keelson/client';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { Book, library, Loan } from './library.ts';

const loan = { metadata: { name: 'moby' }, spec: { book: 'Moby Dick', reader: 'ada' } };

test('one app is a controller, admission, conversion, an API, authentication and authorization', async () => {
  const given = library();
  await using cluster = await startCluster({ apps: [given], nodes: 0 });
  const loans = cluster.client.kind(Loan).namespace('default');
  const made = await loans.create(loan);
  expect(made.spec.days).toBe(28);
  await cluster.settle();
  expect((await loans.get('moby')).status).toEqual({ slip: 'slip-moby' });
  const { data } = await cluster.client.core.v1.configmaps.namespace('default').get('slip-moby');
  expect(data).toEqual({ text: 'ada has Moby Dick for 28 days' });

  const tooLong = { metadata: { name: 'ulysses' }, spec: { book: 'Ulysses', reader: 'ada', days: 400 } };
  await expect(loans.create(tooLong)).rejects.toThrow('a book is lent for 90 days at most');

  const older = await cluster.client.dynamic('library.example.dev/v1beta1', 'Loan');
  expect(await older.namespace('default').get('moby')).toMatchObject({ spec: { book: 'Moby Dick', borrower: 'ada' } });

  const books = cluster.client.kind(Book).namespace('default');
  await books.create({ metadata: { name: 'moby-dick' }, spec: { shelf: 'M' } });

  const connection = await findConnection({ kubeconfig: await cluster.kubeconfig() });
  const card = (token: string) => new FixedCredentials({ authorization: bearer(token) });
  await using ada = connectTo({ ...connection, credentials: card('card-7') });
  expect((await ada.authentication.v1.selfsubjectreviews.create({})).status?.userInfo?.username).toBe('ada');
  expect((await ada.kind(Book).namespace('default').list()).items).toHaveLength(1);
  await expect(ada.kind(Book).namespace('default').delete('moby-dick')).rejects.toMatchObject({ code: 403 });
  await expect(ada.kind(Loan).namespace('default').list()).rejects.toMatchObject({ code: 403 });
  await using stranger = connectTo({ ...connection, credentials: card('card-9') });
  await expect(stranger.kind(Book).namespace('default').list()).rejects.toMatchObject({ code: 401 });

  expect(given.metrics).toMatch(/keelson_webhook_requests_total\{.*"\/validate\/terms\.loans\.example\.dev".*\} 2/);
  expect(given.unready).toEqual([]);
  expect(cluster.problems).toEqual([]);
});

test('a webhook that is down is reported, and a fork has the app again', async () => {
  await using cluster = await startCluster({ apps: [library()], nodes: 0 });
  {
    using _down = cluster.fault({ type: 'webhookDown', path: 'terms.loans' });
    await expect(cluster.client.kind(Loan).namespace('default').create(loan)).rejects.toThrow('connection refused');
  }
  {
    using _down = cluster.fault({ type: 'apiDown', path: '/apis/catalogue.example.dev/v1/namespaces' });
    const listing = cluster.client.kind(Book).namespace('default').list({ maxRetries: 0 });
    await expect(listing).rejects.toMatchObject({ code: 503 });
  }
  await using fork = await cluster.fork();
  await fork.client.kind(Loan).namespace('default').create(loan);
  await fork.settle();
  expect((await fork.client.kind(Loan).namespace('default').get('moby')).status).toEqual({ slip: 'slip-moby' });
});
