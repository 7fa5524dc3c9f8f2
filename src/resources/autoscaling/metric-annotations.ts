type Members = Record<string, unknown>;
type Source = Members | undefined;

/**
 * autoscaling/v1 only has a cpu metric; the others are kept in annotations as JSON, in the form of an early v2 alpha.
 * Converts these metrics in both directions.
 */
export function annotationOfMetric(metric: Members): Members {
  return converted(metric, {
    object: (object) => ({
      target: object['describedObject'],
      metricName: nameOf(object),
      targetValue: targetOf(object)['value'] ?? '0',
      selector: selectorOf(object),
      averageValue: targetOf(object)['averageValue'],
    }),
    pods: (pods) => ({
      metricName: nameOf(pods),
      targetAverageValue: targetOf(pods)['averageValue'] ?? '0',
      selector: selectorOf(pods),
    }),
    resource: (resource) => ({ name: resource['name'], ...averages(targetOf(resource)) }),
    containerResource: (container) => ({
      name: container['name'],
      ...averages(targetOf(container)),
      container: container['container'],
    }),
    external: (external) => ({
      metricName: nameOf(external),
      metricSelector: selectorOf(external),
      targetValue: targetOf(external)['value'],
      targetAverageValue: targetOf(external)['averageValue'],
    }),
  });
}

export function metricOfAnnotation(metric: Members): Members {
  return converted(metric, {
    object: (object) => ({
      describedObject: object['target'],
      target: objectTarget(object),
      metric: identifier(object, 'selector'),
    }),
    pods: (pods) => ({
      metric: identifier(pods, 'selector'),
      target: { type: 'AverageValue', averageValue: pods['targetAverageValue'] },
    }),
    resource: (resource) => ({ name: resource['name'], target: usageTarget(resource) }),
    containerResource: (container) => ({
      name: container['name'],
      target: usageTarget(container),
      container: container['container'],
    }),
    external: (external) => ({
      metric: identifier(external, 'metricSelector'),
      target: {
        type: external['targetValue'] === undefined ? 'AverageValue' : 'Value',
        value: external['targetValue'],
        averageValue: external['targetAverageValue'],
      },
    }),
  });
}

/** The same for current values. */
export function annotationOfStatus(status: Members): Members {
  return converted(status, {
    object: (object) => ({
      target: object['describedObject'],
      metricName: nameOf(object),
      currentValue: currentOf(object)['value'] ?? '0',
      selector: selectorOf(object),
      averageValue: currentOf(object)['averageValue'],
    }),
    pods: (pods) => ({
      metricName: nameOf(pods),
      currentAverageValue: currentOf(pods)['averageValue'] ?? '0',
      selector: selectorOf(pods),
    }),
    resource: (resource) => ({ name: resource['name'], ...currents(currentOf(resource)) }),
    containerResource: (container) => ({
      name: container['name'],
      ...currents(currentOf(container)),
      container: container['container'],
    }),
    external: (external) => ({
      metricName: nameOf(external),
      metricSelector: selectorOf(external),
      currentValue: currentOf(external)['value'] ?? '0',
      currentAverageValue: currentOf(external)['averageValue'],
    }),
  });
}

export function statusOfAnnotation(status: Members): Members {
  return converted(status, {
    object: (object) => ({
      metric: identifier(object, 'selector'),
      current: { value: object['currentValue'], averageValue: object['averageValue'] },
      describedObject: object['target'],
    }),
    pods: (pods) => ({ metric: identifier(pods, 'selector'), current: { averageValue: pods['currentAverageValue'] } }),
    resource: (resource) => ({ name: resource['name'], current: usage(resource) }),
    containerResource: (container) => ({
      name: container['name'],
      current: usage(container),
      container: container['container'],
    }),
    external: (external) => ({
      metric: identifier(external, 'metricSelector'),
      current: { value: external['currentValue'], averageValue: external['currentAverageValue'] },
    }),
  });
}

/** Converts a metric, by the kind of source that it has. */
function converted(metric: Members, sources: Readonly<Record<string, (source: Members) => Members>>): Members {
  const { type } = metric;
  const present = Object.keys(sources).filter((name) => metric[name] !== undefined && metric[name] !== null);
  return compact({
    type,
    ...Object.fromEntries(present.map((name) => [name, sources[name]?.(metric[name] as Members)])),
  });
}

function nameOf(source: Members): unknown {
  return (source['metric'] as Source)?.['name'];
}

function selectorOf(source: Members): unknown {
  return (source['metric'] as Source)?.['selector'];
}

function targetOf(source: Members): Members {
  return (source['target'] as Source) ?? {};
}

function currentOf(source: Members): Members {
  return (source['current'] as Source) ?? {};
}

function averages(target: Members): Members {
  return { targetAverageUtilization: target['averageUtilization'], targetAverageValue: target['averageValue'] };
}

function currents(current: Members): Members {
  return {
    currentAverageUtilization: current['averageUtilization'],
    currentAverageValue: current['averageValue'] ?? '0',
  };
}

function identifier(source: Members, selector: string): Members {
  return { name: source['metricName'], selector: source[selector] };
}

/** A target for the object as a whole, unless there is one for each pod. */
function objectTarget(object: Members): Members {
  const { targetValue, averageValue } = object;
  if (averageValue === undefined) return { type: 'Value', value: targetValue };
  return { type: 'AverageValue', value: targetValue === '0' ? undefined : targetValue, averageValue };
}

function usageTarget(resource: Members): Members {
  const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue } = resource;
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization';
  return { type, averageValue, averageUtilization };
}

function usage(resource: Members): Members {
  return {
    averageValue: resource['currentAverageValue'],
    averageUtilization: resource['currentAverageUtilization'],
  };
}

function compact(value: Members): Members {
  const result: Members = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || member === null) continue;
    result[name] = isPlain(member) ? compact(member) : member;
  }
  return result;
}

function isPlain(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
