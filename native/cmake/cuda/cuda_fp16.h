/* SPDX-License-Identifier: Apache-2.0
 * NCCL's header includes this file of CUDA's and uses nothing of it. */
