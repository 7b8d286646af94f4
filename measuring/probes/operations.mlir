// SPDX-License-Identifier: Apache-2.0
// One operation a section; each turns %a into %0. stablehlo_probe.py wraps them into functions.
// ----- add
  %0 = stablehlo.add %a, %a : tensor<4xf32>
// ----- cbrt
  %0 = stablehlo.cbrt %a : tensor<4xf32>
// ----- cosine
  %0 = stablehlo.cosine %a : tensor<4xf32>
// ----- exponential
  %0 = stablehlo.exponential %a : tensor<4xf32>
// ----- exponential_minus_one
  %0 = stablehlo.exponential_minus_one %a : tensor<4xf32>
// ----- log
  %0 = stablehlo.log %a : tensor<4xf32>
// ----- log_plus_one
  %0 = stablehlo.log_plus_one %a : tensor<4xf32>
// ----- logistic
  %0 = stablehlo.logistic %a : tensor<4xf32>
// ----- rsqrt
  %0 = stablehlo.rsqrt %a : tensor<4xf32>
// ----- sine
  %0 = stablehlo.sine %a : tensor<4xf32>
// ----- sqrt
  %0 = stablehlo.sqrt %a : tensor<4xf32>
// ----- tan
  %0 = stablehlo.tan %a : tensor<4xf32>
// ----- tanh
  %0 = stablehlo.tanh %a : tensor<4xf32>
// ----- custom_call
  %0 = stablehlo.custom_call @foo(%a) : (tensor<4xf32>) -> tensor<4xf32>
// ----- composite
  %0 = stablehlo.composite "my.op" %a {decomposition = @same} : (tensor<4xf32>) -> tensor<4xf32>
// ----- collective_broadcast
  %0 = "stablehlo.collective_broadcast"(%a) {
    replica_groups = dense<[[0]]> : tensor<1x1xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4xf32>) -> tensor<4xf32>
// ----- collective_permute
  %0 = "stablehlo.collective_permute"(%a) {
    source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4xf32>) -> tensor<4xf32>
// ----- all_gather
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64,
    replica_groups = dense<[[0]]> : tensor<1x1xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
// ----- all_reduce
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {
    replica_groups = dense<[[0]]> : tensor<1x1xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
// ----- reduce_scatter
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64,
    replica_groups = dense<[[0]]> : tensor<1x1xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
// ----- all_to_all
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 0 : i64,
    split_count = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4xf32>) -> tensor<4xf32>
// ----- send_recv
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.send"(%a, %t) {is_host_transfer = true,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>}
    : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %0, %w = "stablehlo.recv"(%u) {is_host_transfer = true,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>}
    : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
// ----- dot_general
  %z = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0]
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %0 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<4xf32>
// ----- gather
  %i = stablehlo.constant dense<[[0], [1], [2], [3]]> : tensor<4x1xi32>
  %0 = "stablehlo.gather"(%a, %i) {slice_sizes = array<i64: 1>, indices_are_sorted = false,
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
      index_vector_dim = 1>} : (tensor<4xf32>, tensor<4x1xi32>) -> tensor<4xf32>
// ----- rng_bit_generator
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %o, %c = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %0 = stablehlo.convert %c : (tensor<4xui32>) -> tensor<4xf32>
// ----- while
  %0 = stablehlo.while(%x = %a) : tensor<4xf32> cond {
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do { stablehlo.return %x : tensor<4xf32> }
