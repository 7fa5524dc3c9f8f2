// An operator without any library: makes a Secret and a ConfigMap for each Cache. With --planted it takes the Secret for a sign that
// both are there.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { createInterface } from 'node:readline';

const isPlanted = process.argv.includes('--planted');
const config = readFileSync(process.env.KUBECONFIG, 'utf8');
const field = (name) => new RegExp(`${name}: *"?([^\\s"]+)`).exec(config)?.[1] ?? '';
const bytes = (name) => Buffer.from(field(name), 'base64');
const connection = {
  ca: bytes('certificate-authority-data'),
  cert: bytes('client-certificate-data'),
  key: bytes('client-key-data'),
};
const server = field('server');

/** Sends a request; resolves to the response, whose body is read by the caller. */
function send(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'user-agent': 'fetch-operator/1' };
    const sent = request(`${server}${path}`, { method, headers, ...connection }, resolve);
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function call(method, path, body) {
  const response = await send(method, path, body);
  let text = '';
  for await (const chunk of response) text += chunk;
  return { code: response.statusCode, object: text.startsWith('{') ? JSON.parse(text) : undefined };
}

const caches = '/apis/acme.dev/v1/namespaces/default/caches';
const core = '/api/v1/namespaces/default';

async function exists(path) {
  const { code } = await call('GET', path);
  if (code !== 200 && code !== 404) throw new Error(`cannot read ${path}: ${code}`);
  return code === 200;
}

async function ensure(kind, { metadata: { name, uid }, spec }) {
  const known = await call('GET', `${core}/${kind}/${name}`);
  if (known.code === 200) {
    if (kind === 'secrets' || known.object.data.size === String(spec.size)) return;
    const { code } = await call('PUT', `${core}/${kind}/${name}`, {
      ...known.object,
      data: { size: String(spec.size) },
    });
    if (code !== 200) throw new Error(`cannot change ${kind}: ${code}`);
    return;
  }
  if (known.code !== 404) throw new Error(`cannot read ${kind}: ${known.code}`);
  const ownerReferences = [{ apiVersion: 'acme.dev/v1', kind: 'Cache', name, uid, controller: true }];
  const { code } = await call('POST', `${core}/${kind}`, {
    metadata: { name, ownerReferences },
    ...(kind === 'configmaps' ? { data: { size: String(spec.size) } } : {}),
  });
  if (code !== 201) throw new Error(`cannot create ${kind}: ${code}`);
}

async function reconcile(name) {
  const { code, object } = await call('GET', `${caches}/${name}`);
  if (code === 404) return;
  if (code !== 200) throw new Error(`cannot read cache: ${code}`);
  const isNew = !(await exists(`${core}/configmaps/${name}`));
  if (isPlanted && isNew && (await exists(`${core}/secrets/${name}`))) return;
  await ensure('secrets', object);
  await ensure('configmaps', object);
}

/** Runs until it succeeds; one object at a time. */
async function reconciled(name) {
  for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, 2000)) {
    try {
      return await reconcile(name);
    } catch {
      await new Promise((resolve) => void setTimeout(resolve, waitMs));
    }
  }
}

for (;;) {
  try {
    const { code, object } = await call('GET', caches);
    if (code !== 200) throw new Error(`cannot list: ${code}`);
    for (const { metadata } of object.items) await reconciled(metadata.name);
    const watch = await send('GET', `${caches}?watch=true&resourceVersion=${object.metadata.resourceVersion}`);
    for await (const line of createInterface({ input: watch })) {
      const { type, object: changed } = JSON.parse(line);
      if (type === 'ERROR') break;
      if (type !== 'BOOKMARK') await reconciled(changed.metadata.name);
    }
  } catch {
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
}
