import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../program.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-api-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function api(...args: readonly string[]): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  let text = '';
  const stream = { write: (more: string) => void (text += more) };
  const process = { env: {}, stdout: stream, stderr: stream, once: () => undefined };
  const code = await runProgram(['api', ...args], process);
  return { code, lines: text.trimEnd().split('\n') };
}

async function manifest(text: string): Promise<string> {
  const file = join(folder, 'a.yaml');
  await writeFile(file, text);
  return file;
}

describe('keelson api diff', () => {
  test('prints what came, went and changed, and no part of what is new as a whole', async () => {
    const { code, lines } = await api('diff', '1.33', '1.34');
    expect(code).toBe(0);
    expect(lines).toContain('+ core.v1.PodSpec.hostnameOverride  string');
    expect(lines).toContain('+ resource.k8s.io/v1 deviceclasses  DeviceClass, cluster');
    expect(lines).toContain('- resource.k8s.io/v1alpha3 resourceclaims  ResourceClaim, namespaced, /status');
    expect(lines).toContain('~ networking.v1.NetworkPolicySpec.podSelector  LabelSelector; required → LabelSelector');
    expect(lines.filter((line) => line.includes('FileKeySelector.'))).toEqual([]);
  });

  test('prints the paths of one kind', async () => {
    const { lines } = await api('diff', '1.33', '1.34', '--kind', 'pod');
    expect(lines).toEqual([
      '+ v1 Pod spec.containers.env.valueFrom.fileKeyRef  FileKeySelector',
      '+ v1 Pod spec.containers.restartPolicyRules  []ContainerRestartRule',
      '+ v1 Pod spec.ephemeralContainers.env.valueFrom.fileKeyRef  FileKeySelector',
      '+ v1 Pod spec.ephemeralContainers.restartPolicyRules  []ContainerRestartRule',
      '+ v1 Pod spec.hostnameOverride  string',
      '+ v1 Pod spec.initContainers.env.valueFrom.fileKeyRef  FileKeySelector',
      '+ v1 Pod spec.initContainers.restartPolicyRules  []ContainerRestartRule',
      '+ v1 Pod spec.volumes.projected.sources.podCertificate  PodCertificateProjection',
      '+ v1 Pod status.extendedResourceClaimStatus  PodExtendedResourceClaimStatus',
    ]);
  });

  test('prints what 1.37 brings to kinds, and what it no longer serves', async () => {
    const { lines } = await api('diff', '1.36', '1.37');
    expect(lines).toContain('+ lifecycle.k8s.io/v1alpha1 evictionrequests  EvictionRequest, namespaced, /status');
    expect(lines).toContain('- networking.k8s.io/v1beta1 servicecidrs  ServiceCIDR, cluster, /status');
    expect(lines.filter((line) => line.startsWith('+ core.v1.PodSpec.'))).toEqual([
      expect.stringContaining('evictionResponders  []EvictionResponder'),
    ]);
    expect((await api('diff', '1.36', '1.37', '--kind', 'CSINode')).lines).toEqual([
      '~ storage.k8s.io/v1 csinodes  CSINode, cluster → CSINode, cluster, /status',
      '+ storage.k8s.io/v1 CSINode status  CSINodeStatus',
    ]);
  });

  test('says when nothing changes, and refuses what is no version or kind', async () => {
    expect((await api('diff', '1.35', '1.36', '--kind', 'Lease')).lines).toEqual(['nothing changes']);
    expect((await api('diff', '1.35', '1.36', '--kind', 'Leas')).lines[0]).toContain(
      'neither version has a kind "Leas"',
    );
    const { code, lines } = await api('diff', '1.36', '1.38');
    expect({ code, line: lines[0] }).toEqual({
      code: 2,
      line: expect.stringContaining('the versions are 1.33, 1.34, 1.35, 1.36, 1.37, not "1.38"') as string,
    });
  });
});

describe('keelson api check', () => {
  test('prints what each version says, those together that say the same', async () => {
    const file = await manifest(`apiVersion: v1
kind: Pod
metadata: { name: a, namespace: elsewhere }
spec: { hostnameOverride: b, containers: [{ name: c, image: i }] }
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: { name: gpu }
spec: {}
`);
    const { code, lines } = await api('check', file);
    expect(code).toBe(1);
    expect(lines.map((line) => line.replace(folder, ''))).toEqual([
      expect.stringMatching(/^Pod "a" of /),
      '  1.33: refused: Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.hostnameOverride"',
      '  1.34: accepted without spec.hostnameOverride',
      '  1.35, 1.36, 1.37: accepted',
      expect.stringMatching(/^DeviceClass "gpu" of /),
      '  1.33: refused: no matches for kind "DeviceClass" in version "resource.k8s.io/v1": it is in Kubernetes 1.34, 1.35, 1.36, 1.37; use resource.k8s.io/v1beta2, which is off by default',
      '  1.34, 1.35, 1.36, 1.37: accepted',
    ]);
  });

  test('checks custom objects by the definitions among the manifests, and takes a list of versions', async () => {
    const file = await manifest(`apiVersion: example.com/v1
kind: Widget
metadata: { name: w }
spec: { size: 3 }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer, maximum: 2 } } } }
`);
    const { lines } = await api('check', file, '--versions', '1.33,1.36');
    expect(lines[1]).toBe(
      '  1.33, 1.36: refused: Widget.example.com "w" is invalid: spec.size: Invalid value: 3: spec.size in body should be less than or equal to 2',
    );
    expect(lines[3]).toBe('  1.33, 1.36: accepted');
  });

  test('serves versions of the API that are off by default when it is asked to', async () => {
    const file = await manifest(`apiVersion: networking.k8s.io/v1beta1
kind: IPAddress
metadata: { name: 192.0.2.7 }
spec: { parentRef: { resource: services, namespace: default, name: a } }
`);
    const off = await api('check', file, '--versions', '1.33-1.34');
    expect(off.lines[1]).toBe(
      '  1.33, 1.34: refused: no matches for kind "IPAddress" in version "networking.k8s.io/v1beta1": it is off by default; use networking.k8s.io/v1',
    );
    const on = await api(
      'check',
      file,
      '--versions',
      '1.33-1.34',
      '--runtime-config',
      'networking.k8s.io/v1beta1=true',
    );
    expect(on).toMatchObject({ code: 0 });
    expect(on.lines.slice(1)).toEqual([
      '  1.33: accepted',
      '  1.34: accepted, with warnings: networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, unavailable in v1.37+',
    ]);
  });

  test.each([
    ['1.36-1.33', '--versions: 1.36 is later than 1.33'],
    ['1.33-1.34-1.35', '--versions must be a range or a list'],
    ['1.20', 'the versions are 1.33'],
  ])('refuses versions that make no sense: %s', async (versions, problem) => {
    const { code, lines } = await api('check', await manifest('{}'), '--versions', versions);
    expect(code).toBe(2);
    expect(lines[0]).toContain(problem);
  });
});
