import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'keelson';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../peers/index.ts';
import { requires } from '../../src/base/testing/requires.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { ProgramRunOptions } from '../../src/kit/app/app-options.ts';
import { deskApp } from '../cli/testdata/desk.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster, type TestCluster } from '../support/test-cluster.ts';

const PLACES = [
  ['crd/pools.pools.example.dev', '.spec.conversion.webhook.clientConfig'],
  ['validatingwebhookconfiguration/limits.pools.example.dev', '.webhooks[0].clientConfig'],
  ['mutatingwebhookconfiguration/limits.pools.example.dev', '.webhooks[0].clientConfig'],
] as const;
const SERVICE = { namespace: 'pools-system', name: 'pools' };

describe('an app at a desk and the same app in the cluster take over from each other', requires('kubectl'), () => {
  let folder = '';
  let cluster: TestCluster;
  let kubectl: Kubectl;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-take-over-'));
    cluster = await startTestCluster();
    kubectl = new Kubectl(findKubectl() ?? '', cluster.kubeconfig);
    let output = '';
    const write = (text: string): void => void (output += text);
    const process = { env: {}, stdout: { write }, stderr: { write }, once: () => undefined };
    const desk = join(import.meta.dirname, '..', 'cli', 'testdata', 'desk.ts');
    const code = await runProgram(['manifests', desk, '--call=deskApp', '--out', folder], process);
    expect(code, output).toBe(0);
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the app until its registrations have the member that it writes. */
  async function ran(member: 'url' | 'service', options: ProgramRunOptions = {}): Promise<void> {
    await using client = await connect({ kubeconfig: cluster.kubeconfig });
    const stop = new AbortController();
    const running = deskApp().run(client, stop.signal, { ...options, install: true });
    try {
      const registered = PLACES.map(([object, path]) =>
        kubectl.output('wait', '--for=create', object, '--timeout=120s').then(() => written(object, path, member)),
      );
      await Promise.race([Promise.all(registered), running]);
    } finally {
      stop.abort();
      await running;
    }
  }

  function written(object: string, path: string, member: string): Promise<string> {
    const wanted = member === 'url' ? '.url' : '.caBundle'; // the authority is written by the app, with the Service
    return kubectl.output('wait', `--for=jsonpath={${path}${wanted}}`, object, '--timeout=120s');
  }

  async function ranDeployed(): Promise<void> {
    const [port = 0] = await freePorts(1);
    await ran('service', { service: { ...SERVICE, port } });
  }

  async function places(): Promise<readonly object[]> {
    return Promise.all(
      PLACES.map(async ([object, path]) => JSON.parse(await kubectl.output('get', object, '-o', `jsonpath={${path}}`))),
    );
  }

  async function expectPlaces(member: 'url' | 'service'): Promise<void> {
    const value = member === 'url' ? expect.stringContaining('https://localhost:') : expect.objectContaining(SERVICE);
    for (const place of await places()) {
      expect(place).toMatchObject({ [member]: value });
      expect(place).not.toHaveProperty(member === 'url' ? 'service' : 'url');
    }
  }

  const objects = (): string => join(folder, 'kubernetes');

  test('desk, kubectl apply, deployed, desk, kubectl apply', async () => {
    await ran('url');
    await expectPlaces('url');

    await kubectl.output('apply', '-f', objects());
    await expectPlaces('service');

    await ranDeployed();
    await expectPlaces('service');

    await ran('url');
    await expectPlaces('url');

    await kubectl.output('apply', '-f', objects());
    await expectPlaces('service');
  });

  test('kubectl apply on the server, with force, and a desk after it', async () => {
    await ran('url');
    await kubectl.output('apply', '-f', objects(), '--server-side', '--force-conflicts');
    await expectPlaces('service');
    await ran('url');
    await expectPlaces('url');
    await ranDeployed();
    await expectPlaces('service');
  });

  test('printed definitions take over as well', async () => {
    await ran('url');
    const desk = join(import.meta.dirname, '..', 'cli', 'testdata', 'desk.ts');
    let output = '';
    const stdout = { write: (text: string) => void (output += text) };
    const process = { env: {}, stdout, stderr: stdout, once: () => undefined };
    await runProgram(['crd', 'print', desk, '--service=pools-system/pools'], process);
    const path = join(folder, 'printed.yaml');
    await writeFile(path, output);
    await kubectl.output('apply', '-f', path);
    expect((await places())[0]).toMatchObject({ service: SERVICE });
  });
});
