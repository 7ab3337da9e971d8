package dev.holdfast.ledger.demo;

import dev.holdfast.ledger.Account;
import dev.holdfast.ledger.Ledger;
import dev.holdfast.ledger.Outcome;
import dev.holdfast.ledger.Statement;
import dev.holdfast.ledger.Statement.Sent;
import dev.holdfast.ledger.Statement.State;
import dev.holdfast.ledger.Transfer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Compares the records of the accounts with the answers that callers received. Independent of the
 * accounts' implementation: it reads statements and counts. Owned by one thread.
 */
final class Audit {

  private final Map<String, Statement> statements = new TreeMap<>();
  private final Map<Transfer, Integer> arrivals = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private long inFlightCount;
  private long inFlightCents;
  private long totalCents;

  private Audit() {}

  /**
   * The findings of an audit.
   *
   * @param inFlightCount transfers that have left one account and not arrived in the other
   * @param inFlightCents the sum of those
   * @param totalCents the sum of all balances and of the money in flight
   * @param violations broken promises; empty if there are none
   */
  record Findings(
      long inFlightCount, long inFlightCents, long totalCents, List<String> violations) {}

  /**
   * Reads all accounts and compares.
   *
   * @param ledger the ledger, without calls in progress
   * @param accounts all accounts
   * @param answers the answers that callers received
   * @return the findings
   */
  static Findings of(Ledger ledger, SortedSet<String> accounts, Map<Transfer, Outcome> answers) {
    Audit audit = new Audit();
    for (String number : accounts) {
      audit.statements.put(number, ledger.account(number).statement());
    }
    audit.countArrivals();
    audit.statements.forEach(audit::checkAccount);
    audit.checkNothingFromNowhere();
    audit.checkAnswers(answers);
    audit.checkSum();
    return new Findings(
        audit.inFlightCount, audit.inFlightCents, audit.totalCents, List.copyOf(audit.violations));
  }

  private void countArrivals() {
    statements
        .values()
        .forEach(
            statement ->
                statement.received().forEach(arrived -> arrivals.merge(arrived, 1, Integer::sum)));
    arrivals.forEach(
        (transfer, count) -> {
          if (count > 1) {
            violations.add(transfer + " arrived " + count + " times");
          }
        });
  }

  private void checkAccount(String number, Statement statement) {
    long balance = Account.OPENING_CENTS;
    Set<String> ids = new HashSet<>();
    for (Sent sent : statement.sent()) {
      if (!ids.add(sent.transfer().id())) {
        violations.add(sent.transfer() + " was sent twice");
      }
      balance -= sent.state() == State.REFUSED ? 0 : sent.transfer().cents();
      checkSent(sent);
    }
    for (Transfer received : statement.received()) {
      balance += received.cents();
    }
    if (statement.balanceCents() != balance || balance < 0) {
      violations.add(
          "account "
              + number
              + " has "
              + statement.balanceCents()
              + ", the sum of its rows is "
              + balance);
    }
    totalCents += statement.balanceCents();
  }

  private void checkSent(Sent sent) {
    boolean arrived = arrivals.containsKey(sent.transfer());
    switch (sent.state()) {
      case PENDING -> {
        if (!arrived) {
          inFlightCount++;
          inFlightCents += sent.transfer().cents();
        }
      }
      case DELIVERED -> {
        if (!arrived) {
          violations.add(sent.transfer() + " was confirmed but has not arrived");
        }
      }
      case REFUSED -> {
        if (arrived) {
          violations.add(sent.transfer() + " was refused but has arrived");
        }
      }
    }
  }

  private void checkNothingFromNowhere() {
    Set<Transfer> sent = new HashSet<>();
    statements.values().forEach(each -> each.sent().forEach(row -> sent.add(row.transfer())));
    for (Transfer arrived : arrivals.keySet()) {
      if (!sent.contains(arrived)) {
        violations.add(arrived + " arrived but was never sent");
      }
    }
  }

  private void checkAnswers(Map<Transfer, Outcome> answers) {
    Map<Transfer, State> states = new HashMap<>();
    statements
        .values()
        .forEach(each -> each.sent().forEach(row -> states.put(row.transfer(), row.state())));
    answers.forEach(
        (transfer, outcome) -> {
          State promised = outcome == Outcome.ACCEPTED ? State.DELIVERED : State.REFUSED;
          State found = states.get(transfer);
          if (found != promised) {
            violations.add(
                transfer + " was answered with " + outcome + ", its account has " + found);
          }
        });
  }

  private void checkSum() {
    totalCents += inFlightCents;
    long expected = Account.OPENING_CENTS * statements.size();
    if (totalCents != expected) {
      violations.add(
          "the sum of all accounts is " + totalCents + ", at the beginning it was " + expected);
    }
  }
}
