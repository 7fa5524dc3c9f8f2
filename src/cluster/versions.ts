import type { VersionInfo } from '../apiserver/index.ts';

/** The Kubernetes release whose API is served. */
export const KUBERNETES_VERSION = 'v1.36.3';

declare const KEELSON_VERSION: string | undefined;

/** The package's version; set when the bundle is built. */
export function keelsonVersion(): string {
  return typeof KEELSON_VERSION === 'string' ? KEELSON_VERSION : '0.0.0-source';
}

/** What `/version` answers: the release that clients adapt to, with Keelson's own version in the build metadata. */
export function versionInfo(): VersionInfo {
  const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.');
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `${KUBERNETES_VERSION}+keelson-${keelsonVersion()}`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: `node ${process.version}`,
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}
