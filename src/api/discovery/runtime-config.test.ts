import { describe, expect, test } from 'vitest';
import { apiEnablement, parseRuntimeConfig, RuntimeConfigError } from './runtime-config.ts';

function isServed(flag: string, name: string): boolean {
  const [group = '', version = '', plural = ''] = name.split('/');
  return apiEnablement(parseRuntimeConfig(flag)).isServed({ group, version, plural });
}

describe('--runtime-config', () => {
  test.each([
    ['', 'apps/v1/deployments', true],
    ['', 'networking.k8s.io/v1beta1/servicecidrs', false],
    ['', 'apiextensions.k8s.io/v1beta1/customresourcedefinitions', true],
    ['apiextensions.k8s.io/v1beta1=false', 'apiextensions.k8s.io/v1beta1/customresourcedefinitions', false],
    ['apiextensions.k8s.io/v1beta1=false', 'apiextensions.k8s.io/v1/customresourcedefinitions', true],
    ['api/beta=false', 'apiextensions.k8s.io/v1beta1/customresourcedefinitions', false],
    ['', 'resource.k8s.io/v1alpha3/devicetaintrules', false],
    ['api/all=true', 'resource.k8s.io/v1alpha3/devicetaintrules', true],
    ['api/beta=true', 'networking.k8s.io/v1beta1/servicecidrs', true],
    ['api/beta=true', 'resource.k8s.io/v1alpha3/devicetaintrules', false],
    ['api/ga=false,apps/v1=true', 'apps/v1/deployments', true],
    ['api/ga=false,apps/v1=true', 'batch/v1/jobs', false],
    ['api/all=true,api/alpha=false', 'resource.k8s.io/v1alpha3/devicetaintrules', false],
    ['api/alpha=false,api/all=true', 'resource.k8s.io/v1alpha3/devicetaintrules', false],
    ['apps/v1=false', 'apps/v1/deployments', false],
    ['apps/v1=false,apps/v1/deployments=true', 'apps/v1/deployments', true],
    ['apps/v1/deployments=true,apps/v1=false', 'apps/v1/daemonsets', false],
    ['networking.k8s.io/v1beta1/servicecidrs', 'networking.k8s.io/v1beta1/servicecidrs', true],
    ['apps/v1 = F ', 'apps/v1/deployments', false],
    ['v1=false', '/v1/pods', false],
    ['api/v1=false', '/v1/pods', false],
    ['/v1=false', '/v1/pods', false],
    ['/v1/events=false', '/v1/events', false],
    ['/v1/events=false', '/v1/pods', true],
    ['api/legacy=false', '/v1/pods', true],
    ['extensions/v1beta1=true', 'apps/v1/deployments', true],
  ])('%j: %s is served: %s', (flag, name, expected) => {
    expect(isServed(flag, name)).toBe(expected);
  });

  test.each([
    ['api/all=maybe', 'invalid value api/all=maybe'],
    ['api/all=', 'invalid value api/all='],
    ['api/beta=1', 'invalid value api/beta=1'],
    ['api/all=false', 'invalid runtime-config with only api/all=false'],
    ['apps=true', 'runtime-config invalid key apps'],
    ['=true', 'runtime-config invalid key '],
    ['apps/v1/deployments/scale=true', 'runtime-config invalid key apps/v1/deployments/scale'],
    ['foo/v1=true', 'unknown api groups foo/v1'],
    ['zoo/v1=true,foo.bar/v9=true', 'unknown api groups foo.bar/v9,zoo/v1'],
    ['apps/v9=true', 'group version apps/v9 that has not been registered'],
    ['/v2=true', 'group version v2 that has not been registered'],
    ['apps/v1=perhaps', 'invalid value of apps/v1: perhaps, err: strconv.ParseBool: parsing "perhaps": invalid syntax'],
    [
      'apps/v1/Deployments=true',
      'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
    ],
  ])('%j is refused in the words of kube-apiserver', (flag, message) => {
    expect(() => apiEnablement(parseRuntimeConfig(flag))).toThrow(new RuntimeConfigError(message));
  });

  test('combines several flags', () => {
    expect([...parseRuntimeConfig('api/all=true', 'apps/v1=false,,batch/v1')]).toEqual([
      ['api/all', 'true'],
      ['apps/v1', 'false'],
      ['batch/v1', ''],
    ]);
  });
});
