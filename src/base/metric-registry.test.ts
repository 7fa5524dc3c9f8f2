import { deserialize, serialize } from 'node:v8';
import { describe, expect, test } from 'vitest';
import { exponentialBuckets } from './histogram.ts';
import { MetricRegistry } from './metric-registry.ts';
import { type ReadMetric, readMetrics, registryOf } from './read-metrics.ts';
import { formatNumber, negotiateMetricFormat } from './metric-text.ts';

describe('MetricRegistry', () => {
  test('writes metrics by name and samples by label values, whatever the order of use', () => {
    const registry = new MetricRegistry();
    const requests = registry.counter({
      name: 'requests_total',
      help: 'Requests by verb and code.',
      labels: ['verb', 'code'],
    });
    const inflight = registry.gauge({ name: 'inflight', help: 'Requests under way.' });
    requests.with({ verb: 'LIST', code: '200' }).add();
    requests.with({ verb: 'GET', code: '404' }).add();
    requests.with({ verb: 'GET', code: '200' }).add(2);
    requests.with({ verb: 'GET', code: '200' }).add();
    inflight.with().set(5);
    inflight.with().add(-2);

    expect(registry.expose()).toBe(
      [
        '# HELP inflight Requests under way.',
        '# TYPE inflight gauge',
        'inflight 3',
        '# HELP requests_total Requests by verb and code.',
        '# TYPE requests_total counter',
        'requests_total{code="200",verb="GET"} 3',
        'requests_total{code="200",verb="LIST"} 1',
        'requests_total{code="404",verb="GET"} 1',
        '',
      ].join('\n'),
    );
  });

  test('writes histograms with cumulative buckets, sum and count; a bound belongs to its bucket', () => {
    const registry = new MetricRegistry();
    const sizes = registry.histogram({ name: 'size_bytes', help: 'Sizes.', labels: ['verb'], buckets: [1, 10, 1e6] });
    const creates = sizes.with({ verb: 'create' });
    for (const size of [0.5, 1, 2, 10, 11, 1e6, 1e7]) creates.observe(size);

    expect(registry.expose()).toBe(
      [
        '# HELP size_bytes Sizes.',
        '# TYPE size_bytes histogram',
        'size_bytes_bucket{verb="create",le="1"} 2',
        'size_bytes_bucket{verb="create",le="10"} 4',
        'size_bytes_bucket{verb="create",le="1e+06"} 6',
        'size_bytes_bucket{verb="create",le="+Inf"} 7',
        'size_bytes_sum{verb="create"} 1.10000245e+07',
        'size_bytes_count{verb="create"} 7',
        '',
      ].join('\n'),
    );
    expect(creates.count).toBe(7);
    expect(creates.sum).toBe(11_000_024.5);
  });

  test('a metric without labels is exposed at 0 from the start, one with labels after its first use', () => {
    const registry = new MetricRegistry();
    registry.counter({ name: 'a_total', help: 'A.' });
    registry.counter({ name: 'b_total', help: 'B.', labels: ['x'] });

    expect(registry.expose()).toBe('# HELP a_total A.\n# TYPE a_total counter\na_total 0\n');
  });

  test('escapes help texts and label values', () => {
    const registry = new MetricRegistry();
    const odd = registry.gauge({ name: 'odd', help: 'back\\slash, new\nline, "quote"', labels: ['value'] });
    odd.with({ value: 'back\\slash, new\nline, "quote"' }).set(1);

    expect(registry.expose()).toBe(
      [
        '# HELP odd back\\\\slash, new\\nline, "quote"',
        '# TYPE odd gauge',
        'odd{value="back\\\\slash, new\\nline, \\"quote\\""} 1',
        '',
      ].join('\n'),
    );
  });

  test('callbacks are read at scrape time and return one number or one per set of label values', () => {
    const registry = new MetricRegistry();
    let objects = 1;
    registry.callback({ name: 'store_size', help: 'Size.' }, () => objects);
    registry.callback({ name: 'cpu_seconds_total', help: 'Cpu.', labels: ['mode'], type: 'counter' }, () => [
      { labels: { mode: 'user' }, value: 2 },
      { labels: { mode: 'system' }, value: 1 },
    ]);
    registry.callback({ name: 'nothing', help: 'Nothing.', labels: ['x'] }, () => []);
    objects = 7;

    expect(registry.expose()).toBe(
      [
        '# HELP cpu_seconds_total Cpu.',
        '# TYPE cpu_seconds_total counter',
        'cpu_seconds_total{mode="system"} 1',
        'cpu_seconds_total{mode="user"} 2',
        '# HELP store_size Size.',
        '# TYPE store_size gauge',
        'store_size 7',
        '',
      ].join('\n'),
    );
  });

  test('label values beyond the limit share one child', () => {
    const registry = new MetricRegistry();
    const agents = registry.counter({ name: 'agents_total', help: 'Agents.', labels: ['agent'], maxChildren: 2 });
    for (const agent of ['a', 'b', 'c', 'd', 'a']) agents.with({ agent }).add();

    expect(registry.expose()).toContain(
      'agents_total{agent="_overflow"} 2\nagents_total{agent="a"} 2\nagents_total{agent="b"} 1\n',
    );
  });

  test('rejects invalid and duplicate names, invalid labels and buckets, and counters that shrink', () => {
    const registry = new MetricRegistry();
    const taken = registry.counter({ name: 'taken', help: '' });

    expect(() => registry.gauge({ name: 'taken', help: '' })).toThrow(
      'Cannot register metric "taken": the name is taken',
    );
    expect(() => registry.gauge({ name: '1st', help: '' })).toThrow('Cannot register metric "1st": not a metric name');
    expect(() => registry.gauge({ name: 'a', help: '', labels: ['a-b'] })).toThrow('"a-b" is not a label name');
    expect(() => registry.histogram({ name: 'h', help: '', buckets: [2, 1] })).toThrow('buckets must ascend');
    expect(() => registry.histogram({ name: 'h', help: '', buckets: [1, Infinity] })).toThrow('buckets must ascend');
    expect(() => taken.with().add(-1)).toThrow('it only grows');
    expect(() => taken.with().add(NaN)).toThrow('it only grows');
  });
});

describe('OpenMetrics', () => {
  test('has `_total` in the sample names of counters only, fractional bounds, and an end marker', () => {
    const registry = new MetricRegistry();
    registry.counter({ name: 'a_total', help: 'Says "a".' }).with().add(2);
    registry.counter({ name: 'attempts', help: 'B.' }).with().add();
    registry
      .histogram({ name: 'c', help: 'C.', buckets: [0.5, 1] })
      .with()
      .observe(1);

    expect(registry.expose('openmetrics')).toBe(
      [
        '# HELP a Says \\"a\\".',
        '# TYPE a counter',
        'a_total 2',
        '# HELP attempts B.',
        '# TYPE attempts counter',
        'attempts_total 1',
        '# HELP c C.',
        '# TYPE c histogram',
        'c_bucket{le="0.5"} 0',
        'c_bucket{le="1.0"} 1',
        'c_bucket{le="+Inf"} 1',
        'c_sum 1',
        'c_count 1',
        '# EOF',
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['', 'text'],
    ['*/*', 'text'],
    ['text/plain', 'text'],
    ['application/openmetrics-text', 'openmetrics'],
    ['application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.3', 'openmetrics'],
    ['application/openmetrics-text;q=0.1, text/plain', 'text'],
    ['application/openmetrics-text;q=0', 'text'],
    ['application/openmetrics-text;q=nonsense', 'text'],
  ])('Accept: %s gets %s', (accept, format) => {
    expect(negotiateMetricFormat(accept)).toBe(format);
  });
});

test('several registries are exposed as one, with equal series added up', () => {
  const registries = [1, 2].map((amount) => {
    const registry = new MetricRegistry();
    const shared = registry.counter({ name: 'shared_total', help: 'Shared.', labels: ['part'] });
    shared.with({ part: 'both' }).add(amount);
    shared.with({ part: `only ${amount}` }).add(amount);
    registry.gauge({ name: `own_${amount}`, help: 'Own.' });
    return registry;
  });

  expect(MetricRegistry.exposeAll(registries, 'text')).toBe(
    [
      '# HELP own_1 Own.',
      '# TYPE own_1 gauge',
      'own_1 0',
      '# HELP own_2 Own.',
      '# TYPE own_2 gauge',
      'own_2 0',
      '# HELP shared_total Shared.',
      '# TYPE shared_total counter',
      'shared_total{part="both"} 3',
      'shared_total{part="only 1"} 1',
      'shared_total{part="only 2"} 2',
      '',
    ].join('\n'),
  );
});

// As Go's strconv.FormatFloat(value, 'g', -1, 64) answers.
test.each([
  [0, '0'],
  [1, '1'],
  [-1.5, '-1.5'],
  [0.1, '0.1'],
  [999_999, '999999'],
  [1e6, '1e+06'],
  [1_234_567.5, '1.2345675e+06'],
  [123_456_789_012_345_680, '1.2345678901234568e+17'],
  [-2_592_000, '-2.592e+06'],
  [0.0001, '0.0001'],
  [0.00012345, '0.00012345'],
  [0.00001, '1e-05'],
  [5e-324, '5e-324'],
  [1.7976931348623157e308, '1.7976931348623157e+308'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [NaN, 'NaN'],
])('formatNumber(%d) is %s', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test('exponentialBuckets() multiplies its way up', () => {
  expect(exponentialBuckets(1, 10, 4)).toEqual([1, 10, 100, 1000]);
});

test('metrics read from other processes are added to the local ones', () => {
  const registries = [1, 2].map((count) => {
    const registry = new MetricRegistry();
    registry
      .counter({ name: 'requests_total', help: 'Requests.', labels: ['verb'] })
      .with({ verb: 'GET' })
      .add(count);
    registry
      .histogram({ name: 'seconds', help: 'Time.', buckets: [1] })
      .with()
      .observe(count);
    return registry;
  });
  const [here, there] = registries as [MetricRegistry, MetricRegistry];
  const read = registryOf(deserialize(serialize(readMetrics(there))) as ReadMetric[]);

  expect(MetricRegistry.exposeAll([here, read], 'text')).toBe(MetricRegistry.exposeAll([here, there], 'text'));
  expect(MetricRegistry.exposeAll([here, read], 'text')).toContain('requests_total{verb="GET"} 3');
  expect(MetricRegistry.exposeAll([here, read], 'text')).toContain('seconds_bucket{le="+Inf"} 2');
});
