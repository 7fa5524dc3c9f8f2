import type { VersionInfo } from '../apiserver/index.ts';
import {
  DEFAULT_KUBERNETES_VERSION,
  keelsonVersion,
  KUBERNETES_RELEASES,
  type KubernetesVersion,
} from '../base/index.ts';

/**
 * What `/version` answers: the release that clients adapt to, with Keelson's own version in the build metadata.
 * `reported` replaces both.
 */
export function versionInfo(version: KubernetesVersion = DEFAULT_KUBERNETES_VERSION, reported?: string): VersionInfo {
  const [major = '', minor = ''] = version.split('.');
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: reported ?? `${KUBERNETES_RELEASES[version]}+keelson-${keelsonVersion()}`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: `node ${process.version}`,
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}
