// SPDX-License-Identifier: Apache-2.0
import type { Machine } from '../machine/machine.js';
import type { PlanNode } from '../plan/plan.js';

/** Bytes that a node may take at its peak, as its stage says; 0 if it says nothing. */
export function memoryOf({ definition, variant }: PlanNode, { cores }: Machine): number {
  const { memory = 0 } = definition;
  return typeof memory === 'function' ? memory(variant, cores) : memory;
}

/** Which nodes may run side by side: at most so many, as long as what they take together fits into memory. */
export class Slots {
  readonly #jobs: number;
  readonly #machine: Machine;
  readonly #taken = new Map<string, number>();

  constructor(jobs: number, machine: Machine) {
    this.#jobs = jobs;
    this.#machine = machine;
  }

  get running(): number {
    return this.#taken.size;
  }

  /**
   * Whether a node may start now. A node that takes more than there is runs alone; smaller ones go ahead of one that
   * has to wait.
   */
  fits(node: PlanNode): boolean {
    if (this.running === 0) return true;
    const used = [...this.#taken.values()].reduce((sum, bytes) => sum + bytes, 0);
    return this.running < this.#jobs && used + memoryOf(node, this.#machine) <= this.#machine.memory;
  }

  take(node: PlanNode): void {
    this.#taken.set(node.id, memoryOf(node, this.#machine));
  }

  leave(node: PlanNode): void {
    this.#taken.delete(node.id);
  }
}
