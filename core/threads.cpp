#include <exception>
#include <system_error>

#include "core.hpp"

namespace fuzzypairs {

bool Watch::stopped() {
    if (std::this_thread::get_id() == owner_) {
        const auto now = std::chrono::steady_clock::now();
        if (now - asked_ >= std::chrono::milliseconds(50)) {
            asked_ = now;
            if (interrupted_()) stopped_ = true;
        }
    }
    return stopped_;
}

void share_out(size_t n_parts, size_t n_threads, Watch& watch,
               const std::function<void(size_t)>& work) {
    std::atomic<size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    const auto take_parts = [&] {
        try {
            for (size_t part; (part = next++) < n_parts && !failed && !watch.stopped();) work(part);
        } catch (...) {
            if (!failed.exchange(true)) error = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        for (size_t i = 1; i < std::min(n_threads, n_parts); ++i) others.emplace_back(take_parts);
    } catch (const std::system_error&) {
        // The system has no more threads: those that began do all the work.
    }
    take_parts();
    for (std::thread& other : others) other.join();
    if (error) std::rethrow_exception(error);
}

Samples::~Samples() = default;
Groups::~Groups() = default;

}  // namespace fuzzypairs
