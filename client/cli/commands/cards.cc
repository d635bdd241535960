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

void AddDrain(Command& cards, Session& session, const std::string& name, const std::string& help, bool undo) {
  auto worker_id = std::make_shared<std::string>();
  Command command = cards.Add(name, help);
  command.Option("worker", *worker_id, "the worker's id, as `kernelsmith cards` shows it").Required();
  command.Footer("Example:\n  kernelsmith cards " + name + " host1-cpu0");
  command.Run([worker_id, undo, &session] { session.exit_code = Drain(session, *worker_id, undo); });
}

}  // namespace

void AddCards(Command& program, Session& session) {
  Command command = program.Add("cards", "list the cards, or take one out of service");
  AddDrain(command, session, "drain", "let a card finish what runs and give it nothing more (role admin)", false);
  AddDrain(command, session, "undrain", "give a drained card work again (role admin)", true);
  command.Footer("Examples:\n  kernelsmith cards\n  kernelsmith cards drain host1-cpu0");
  command.Run([command, &session] {
    if (!command.HasSubcommand()) session.exit_code = List(session);
  });
}

}  // namespace kernelsmith::client
