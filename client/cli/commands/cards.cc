#include <memory>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/text/card_text.h"
#include "kernelsmith/v1/coordinator.pb.h"

namespace kernelsmith::client {
namespace {

int List(const Session& session) {
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  const absl::StatusOr<std::vector<v1::Card>> cards = client->ListCards();
  if (!cards.ok()) return session.Fail(cards.status());
  if (session.json) {
    v1::ListCardsResponse document;
    document.mutable_cards()->Add(cards->begin(), cards->end());
    session.PrintJson(document);
  } else if (cards->empty()) {
    session.out() << "no worker has connected yet" << std::endl;
  } else {
    session.out() << CardList(*cards) << std::flush;
  }
  return kExitOk;
}

int Drain(const Session& session, const std::string& worker_id, bool undo) {
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  const absl::StatusOr<v1::Card> card = client->DrainCard(worker_id, undo);
  if (!card.ok()) return session.Fail(card.status());
  if (session.json) {
    session.PrintJson(*card);
  } else {
    session.out() << card->worker_id() << (undo ? " takes work again" : " finishes what runs and takes nothing more")
                  << std::endl;
  }
  return kExitOk;
}

void AddDrain(CLI::App& cards, Session& session, const std::string& name, const std::string& help, bool undo) {
  auto worker_id = std::make_shared<std::string>();
  CLI::App* command = cards.add_subcommand(name, help);
  command->add_option("worker", *worker_id, "the worker's id, as `kernelsmith cards` shows it")->required();
  command->footer("Example:\n  kernelsmith cards " + name + " host1-cpu0");
  command->callback([worker_id, undo, &session] { session.exit_code = Drain(session, *worker_id, undo); });
}

}  // namespace

void AddCards(CLI::App& program, Session& session) {
  CLI::App* command = program.add_subcommand("cards", "list the cards, or take one out of service");
  command->require_subcommand(0, 1);
  AddDrain(*command, session, "drain", "let a card finish what runs and give it nothing more (role admin)", false);
  AddDrain(*command, session, "undrain", "give a drained card work again (role admin)", true);
  command->footer("Examples:\n  kernelsmith cards\n  kernelsmith cards drain host1-cpu0");
  command->callback([command, &session] {
    if (command->get_subcommands().empty()) session.exit_code = List(session);
  });
}

}  // namespace kernelsmith::client
