#include "client/cli/text/lineage_forest.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace kernelsmith::client {
namespace {

using Key = std::pair<std::string, std::string>;  // producer, attempt

struct Parent {
  size_t node = ForestEntry::kNone;
  bool cross_job = false;
};

std::vector<Parent> FindParents(const std::vector<v1::LineageNode>& nodes) {
  std::map<Key, size_t> by_attempt;
  std::map<std::string, size_t> by_case;
  for (size_t i = 0; i < nodes.size(); ++i) {
    by_attempt.emplace(Key(nodes[i].producer(), nodes[i].attempt_id()), i);
    if (!nodes[i].case_item_id().empty()) by_case.emplace(nodes[i].case_item_id(), i);
  }
  std::vector<Parent> parents(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto near = by_attempt.find(Key(nodes[i].producer(), nodes[i].prev_attempt_id()));
    const auto far = by_case.find(nodes[i].cross_job_prev_item_id());
    if (!nodes[i].prev_attempt_id().empty() && near != by_attempt.end()) {
      parents[i] = {near->second, false};
    } else if (!nodes[i].cross_job_prev_item_id().empty() && far != by_case.end()) {
      parents[i] = {far->second, true};
    }
  }
  return parents;
}

// Cuts cycles, which a server does not send: every node of one becomes a root.
void CutCycles(std::vector<Parent>& parents) {
  std::vector<char> state(parents.size(), 0);  // 1: on the way up from the node at hand, 2: reaches a root
  for (size_t start = 0; start < parents.size(); ++start) {
    std::vector<size_t> way;
    size_t at = start;
    while (at != ForestEntry::kNone && state[at] == 0) {
      state[at] = 1;
      way.push_back(at);
      at = parents[at].node;
    }
    if (at != ForestEntry::kNone && state[at] == 1) parents[at] = Parent();
    for (const size_t node : way) state[node] = 2;
  }
}

}  // namespace

std::vector<ForestEntry> ArrangeForest(const std::vector<v1::LineageNode>& nodes, size_t levels) {
  std::vector<Parent> parents = FindParents(nodes);
  CutCycles(parents);
  std::vector<std::vector<size_t>> children(nodes.size());
  std::vector<size_t> roots;
  for (size_t i = 0; i < nodes.size(); ++i) {
    (parents[i].node == ForestEntry::kNone ? roots : children[parents[i].node]).push_back(i);
  }
  struct Pending {
    size_t node;
    size_t parent_entry;
    bool last;
  };
  std::vector<Pending> stack;
  const auto push = [&stack](const std::vector<size_t>& group, size_t parent_entry) {
    for (size_t i = group.size(); i > 0; --i) stack.push_back({group[i - 1], parent_entry, i == group.size()});
  };
  push(roots, ForestEntry::kNone);
  std::vector<ForestEntry> forest;
  forest.reserve(nodes.size());
  while (!stack.empty()) {
    const Pending next = stack.back();
    stack.pop_back();
    ForestEntry entry{.node = &nodes[next.node],
                      .parent = next.parent_entry,
                      .children = children[next.node].size(),
                      .cross_job = parents[next.node].cross_job};
    if (next.parent_entry != ForestEntry::kNone) {
      entry.depth = forest[next.parent_entry].depth + 1;
      entry.last = forest[next.parent_entry].last;
      if (entry.last.size() < levels) entry.last.push_back(next.last);
    }
    forest.push_back(std::move(entry));
    push(children[next.node], forest.size() - 1);
  }
  return forest;
}

}  // namespace kernelsmith::client
