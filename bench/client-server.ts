// The server that bench/client.ts measures the client against: made-up pods of about 3.4 KB over HTTP/2 without TLS work of
// note. Run by bench/client.ts.
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const [, , countText = '50000'] = process.argv;
const COUNT = Number(countText);
const testdata = join(import.meta.dirname, '..', 'src', 'client', 'testdata');

/** A pod as a real cluster has them: about a third of it managedFields. */
function pod(number: number, resourceVersion: number): object {
  const app = `web-${Math.floor(number / 50)}`; // a list is in order of names, so the pods of a ReplicaSet stand together
  const name = `${app}-6b7f675dc8-${(number * 7919).toString(36).padStart(5, '0').slice(-5)}${number % 50}`;
  const time = new Date(1_700_000_000_000 + number * 1000).toISOString().replace(/\.\d+Z/, 'Z');
  const uid = `0f8fad5b-d9cb-469f-a165-${number.toString(16).padStart(12, '0')}`;
  const labels = { app, 'pod-template-hash': '6b7f675dc8', team: `team-${app.length}` };
  const owner = `7c9e6679-7425-40de-944b-${Math.floor(number / 50)
    .toString(16)
    .padStart(12, '0')}`;
  const fields = (...names: string[]): object => Object.fromEntries(names.map((field) => [field, {}]));
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      generateName: `${app}-6b7f675dc8-`,
      namespace: `ns-${Math.floor(number / 1000)}`,
      uid,
      resourceVersion: String(resourceVersion),
      creationTimestamp: time,
      labels,
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-6b7f675dc8`,
          uid: owner,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': {
              'f:generateName': {},
              'f:labels': fields('.', 'f:app', 'f:pod-template-hash', 'f:team'),
              'f:ownerReferences': { '.': {}, [`k:{"uid":"${owner}"}`]: {} },
            },
            'f:spec': {
              'f:containers': {
                'k:{"name":"web"}': fields(
                  '.',
                  'f:image',
                  'f:imagePullPolicy',
                  'f:name',
                  'f:ports',
                  'f:resources',
                  'f:terminationMessagePath',
                  'f:terminationMessagePolicy',
                ),
              },
              ...fields(
                'f:dnsPolicy',
                'f:enableServiceLinks',
                'f:restartPolicy',
                'f:schedulerName',
                'f:securityContext',
                'f:terminationGracePeriodSeconds',
              ),
            },
          },
        },
        {
          manager: 'kubelet',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          subresource: 'status',
          fieldsV1: {
            'f:status': {
              'f:conditions': {
                'k:{"type":"Ready"}': fields('.', 'f:lastProbeTime', 'f:lastTransitionTime', 'f:status', 'f:type'),
                'k:{"type":"Initialized"}': fields(
                  '.',
                  'f:lastProbeTime',
                  'f:lastTransitionTime',
                  'f:status',
                  'f:type',
                ),
              },
              ...fields('f:containerStatuses', 'f:hostIP', 'f:phase', 'f:podIP', 'f:podIPs', 'f:startTime'),
            },
          },
        },
      ],
    },
    spec: {
      volumes: [
        {
          name: 'kube-api-access-x7k2p',
          projected: {
            sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }],
            defaultMode: 420,
          },
        },
      ],
      containers: [
        {
          name: 'web',
          image: 'registry.example.test/team/web:1.27.3',
          ports: [{ containerPort: 8080, protocol: 'TCP' }],
          env: [
            { name: 'LOG_LEVEL', value: 'info' },
            { name: 'REGION', value: 'eu-central-1' },
          ],
          resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
          volumeMounts: [
            {
              name: 'kube-api-access-x7k2p',
              readOnly: true,
              mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
            },
          ],
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: `node-${number % 100}`,
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      priority: 0,
      enableServiceLinks: true,
    },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: time,
      })),
      hostIP: `10.0.0.${number % 100}`,
      podIP: `10.1.${(number >> 8) % 256}.${number % 256}`,
      startTime: time,
      containerStatuses: [
        {
          name: 'web',
          state: { running: { startedAt: time } },
          ready: true,
          restartCount: 0,
          image: 'registry.example.test/team/web:1.27.3',
          containerID: `containerd://${uid.replaceAll('-', '')}`,
        },
      ],
      qosClass: 'Burstable',
    },
  };
}

function frame(type: string, object: object): Buffer {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

/** Only the metadata, when that is asked for. */
function shape(object: object, isMetadataOnly: boolean): object {
  const { metadata } = object as { metadata: object };
  return isMetadataOnly ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } : object;
}

async function send(stream: ServerHttp2Stream, chunk: Buffer): Promise<void> {
  if (stream.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      stream.removeListener('close', go).removeListener('drain', go);
      resolve();
    };
    stream.once('drain', go).once('close', go);
  });
}

/** The state, the bookmark at its end, and then as many changes as the client asks for by its selector. */
async function watch(stream: ServerHttp2Stream, isMetadataOnly: boolean, changes: number): Promise<void> {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  for (let number = 0; number < COUNT && !stream.destroyed; number++) {
    await send(stream, frame('ADDED', shape(pod(number, number + 1), isMetadataOnly)));
  }
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  await send(
    stream,
    frame('BOOKMARK', { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: String(COUNT), annotations } }),
  );
  const prepared = Array.from({ length: Math.min(changes, 20_000) }, (_, index) =>
    frame('MODIFIED', shape(pod(index % COUNT, COUNT + 1 + index), isMetadataOnly)),
  );
  for (const event of prepared) {
    if (stream.destroyed) return;
    await send(stream, event);
  }
}

const server = createSecureServer({
  key: readFileSync(join(testdata, 'server.key')),
  cert: readFileSync(join(testdata, 'server.crt')),
});
server.on('session', (session) => session.on('error', () => undefined));
server.on('stream', (stream, headers) => {
  stream.on('error', () => undefined);
  const changes = Number(/changes%3D(\d+)/.exec(String(headers[':path']))?.[1] ?? 0);
  void watch(stream, String(headers.accept).includes('PartialObjectMetadata'), changes);
});
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port, bytes: JSON.stringify(pod(1, 1)).length }),
);
process.once('disconnect', () => process.exit(0));
