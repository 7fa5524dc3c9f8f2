import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startCluster, type TestCluster } from 'keelson/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { type RawAnswer, reachedBy, send } from '../support/request.ts';

const command = findKubectl() ?? '';
const SERVICES = '/api/v1/namespaces/default/services';

describe('kubectl proxy', requires('kubectl'), () => {
  let cluster: TestCluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await startCluster();
    kubectl = new Kubectl(command, await cluster.kubeconfig());
    const port = ['--port=80', '--labels=app=web', '--annotations=sim.keelson.dev/http-body=<a href="/next">'];
    await kubectl.output('run', 'web', '--image=nginx', '--port=80');
    await kubectl.output('run', 'page', '--image=nginx', ...port);
    await kubectl.output('create', 'service', 'clusterip', 'web', '--tcp=8080:80');
    await kubectl.output('expose', 'pod', 'web', '--name=plain', '--port=8080', '--target-port=80');
    await kubectl.output('create', 'service', 'clusterip', 'empty', '--tcp=80:80');
    await cluster.settle();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test('pods, services and nodes are asked for what follows', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const text = 'GET /a/b?c=d of pod default/web, port 80\n';
    expect(await kubectl.output('get', '--raw', `${pods}/web/proxy/a/b?c=d`)).toBe(text);
    expect(await kubectl.output('get', '--raw', `${pods}/http:web:7/proxy/`)).toBe(
      'GET / of pod default/web, port 7\n',
    );
    const page = `<a href="${SERVICES}/web:8080/proxy/next">`;
    expect(await kubectl.output('get', '--raw', `${SERVICES}/web:8080/proxy/`)).toBe(page);
    expect(await kubectl.output('get', '--raw', '/api/v1/nodes/keelson/proxy/healthz')).toBe('ok');
    expect(await kubectl.output('get', '--raw', '/api/v1/nodes/keelson:10250/proxy/metrics')).toContain(
      'kubelet_running_pods',
    );
  });

  test('an unreachable backend is reported as by kube-apiserver', async () => {
    const said = async (path: string): Promise<string> => (await kubectl.run(['get', '--raw', path])).stderr;
    const unavailable = 'Error from server (ServiceUnavailable): ';
    expect(await said(`${SERVICES}/no/proxy/`)).toBe('Error from server (NotFound): services "no" not found\n');
    expect(await said(`${SERVICES}/web:9/proxy/`)).toBe(`${unavailable}no service port 9 found for service "web"\n`);
    expect(await said(`${SERVICES}/web:x/proxy/`)).toBe(`${unavailable}no endpoints available for service "web:x"\n`);
    expect(await said(`${SERVICES}/empty/proxy/`)).toBe(`${unavailable}no endpoints available for service "empty"\n`);
    expect(await said(`${SERVICES}/ftp:web:80/proxy/`)).toBe(
      'Error from server (BadRequest): invalid service request "ftp:web:80"\n',
    );
    expect(await said('/api/v1/nodes/no/proxy/')).toBe('Error from server (NotFound): nodes "no" not found\n');
    expect(await said('/api/v1/namespaces/default/pods/https:web:443/proxy/')).toContain(
      `${unavailable}error trying to reach service: `,
    );
  });

  test('every method is passed on, with or without a slash at the end', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const reached = await reachedBy(await cluster.kubeconfig());
    const asked = (method: string, path: string): Promise<RawAnswer> => send(reached, path, { method });
    for (const place of [`${pods}/web`, `${SERVICES}/plain:8080`]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        for (const [path, forwarded] of [
          ['?a=b', '/?a=b'],
          ['', '/'],
          ['/?a=b', '/?a=b'],
          ['/c/', '/c/'],
        ]) {
          const { code, text } = await asked(method, `${place}/proxy${path}`);
          expect([code, text]).toEqual([200, `${method} ${forwarded} of pod default/web, port 80\n`]);
        }
      }
      for (const method of ['GET', 'HEAD']) {
        const { code, headers, text } = await asked(method, `${place}/proxy?a=b`);
        expect([code, headers['location'], text]).toEqual([301, `${place}/proxy/?a=b`, '']);
      }
      const head = await asked('HEAD', `${place}/proxy/c`);
      expect([head.code, head.headers['content-type'], head.text]).toEqual([200, 'text/plain; charset=utf-8', '']);
      expect((await asked('FOO', `${place}/proxy/c`)).code).toBe(405);
    }
    const node = '/api/v1/nodes/keelson/proxy';
    expect((await asked('HEAD', `${node}?a=b`)).headers['location']).toBe(`${node}/?a=b`);
    for (const method of ['POST', 'OPTIONS'])
      expect((await asked(method, `${node}?a=b`)).text).toBe('404: Page Not Found');
    expect((await asked('HEAD', `${node}/healthz`)).code).toBe(200);
    for (const path of [`${pods}/web/exec`, `${pods}/web/log`, `${pods}/web`])
      expect((await asked('HEAD', path)).code).toBe(405);
  });

  test('a body of any length is passed on, and a path without an end is redirected', async () => {
    const child = spawn(command, ['proxy', '--port=0'], {
      env: { ...process.env, KUBECONFIG: await cluster.kubeconfig() },
    });
    const ended = once(child, 'close');
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const server = `http://${/127\.0\.0\.1:\d+/.exec(line)?.[0]}`;
    const path = '/api/v1/namespaces/default/pods/web/proxy';
    const redirect = await fetch(`${server}${path}?a=b`, { redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([301, `${path}/?a=b`]);
    const body = Buffer.alloc(16 * 1024 * 1024);
    const posted = await fetch(`${server}${path}/up`, { method: 'POST', body });
    expect(await posted.text()).toBe('POST /up of pod default/web, port 80\n');
    child.kill();
    await ended;
  });
});
