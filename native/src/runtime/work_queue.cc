// SPDX-License-Identifier: Apache-2.0
#include "runtime/work_queue.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace iree_pjrt {

struct WorkQueue::State {
  std::mutex mutex;
  std::condition_variable condition;
  std::deque<std::function<void()>> tasks;
  bool stopping = false;
  // The thread starts with the first task.
  std::thread thread;
  // The id of the thread, once it runs.
  std::atomic<std::thread::id> id;
};

WorkQueue::WorkQueue() : state_(std::make_shared<State>()) {}

WorkQueue::~WorkQueue() {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stopping = true;
  }
  state_->condition.notify_one();
  std::thread& thread = state_->thread;
  if (thread.get_id() == std::this_thread::get_id()) {
    thread.detach();
  } else if (thread.joinable()) {
    thread.join();
  }
}

void WorkQueue::Post(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    if (!state_->thread.joinable()) state_->thread = std::thread(&Run, state_);
    state_->tasks.push_back(std::move(task));
  }
  state_->condition.notify_one();
}

bool WorkQueue::OnThread() const {
  return state_->id.load(std::memory_order_relaxed) ==
         std::this_thread::get_id();
}

void WorkQueue::Run(std::shared_ptr<State> state) {
  pthread_setname_np(pthread_self(), "iree-queue");
  state->id = std::this_thread::get_id();
  std::unique_lock<std::mutex> lock(state->mutex);
  while (true) {
    state->condition.wait(
        lock, [&] { return state->stopping || !state->tasks.empty(); });
    if (state->tasks.empty()) return;
    std::function<void()> task = std::move(state->tasks.front());
    state->tasks.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds may take locks
    lock.lock();
  }
}

}  // namespace iree_pjrt
