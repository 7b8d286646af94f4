// SPDX-License-Identifier: Apache-2.0
/** What needs what, by name. Names that are needed but not keys are ignored. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** One cycle as `[a, b, a]`, or undefined. */
export function findCycle(graph: Graph): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): string[] | undefined => {
    const start = path.indexOf(name);
    if (start >= 0) return [...path.slice(start), name];
    if (done.has(name)) return undefined;
    path.push(name);
    for (const need of graph.get(name) ?? []) {
      const cycle = visit(need);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(name);
    return undefined;
  };
  for (const name of graph.keys()) {
    const cycle = visit(name);
    if (cycle) return cycle;
  }
  return undefined;
}

/** `names` and all that they need, directly or not. */
export function withUpstream(graph: Graph, names: Iterable<string>): Set<string> {
  const found = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name) || !graph.has(name)) continue;
    found.add(name);
    queue.push(...(graph.get(name) ?? []));
  }
  return found;
}

/** `names` and all that need them, directly or not. */
export function withDownstream(graph: Graph, names: Iterable<string>): Set<string> {
  const reversed = new Map<string, string[]>([...graph.keys()].map((name) => [name, []]));
  for (const [name, needs] of graph) for (const need of needs) reversed.get(need)?.push(name);
  return withUpstream(reversed, names);
}

/** Names so that each comes after what it needs; among those that are free, in the graph's own order. */
export function stableOrder(graph: Graph): string[] {
  const order: string[] = [];
  const placed = new Set<string>();
  const names = [...graph.keys()];
  while (order.length < names.length) {
    const next = names.find(
      (name) => !placed.has(name) && (graph.get(name) ?? []).every((need) => placed.has(need) || !graph.has(need)),
    );
    if (next === undefined) throw new Error(`cycle among ${names.filter((name) => !placed.has(name)).join(', ')}`);
    placed.add(next);
    order.push(next);
  }
  return order;
}
