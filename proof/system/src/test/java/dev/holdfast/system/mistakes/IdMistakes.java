package dev.holdfast.system.mistakes;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.system.mistakes.Host.Probe;
import java.util.List;

/** Names and ids of objects. */
final class IdMistakes {

  private IdMistakes() {}

  static List<Mistake> all() {
    return List.of(
        Mistake.of("text that is no id", host -> probes(host).idFromString("front-page")),
        Mistake.of(
            "an id that was cut off",
            host -> probes(host).idFromString(probe(host).toString().substring(0, 63))),
        Mistake.of(
            "the text of an id of another namespace",
            host -> pairs(host).idFromString(probe(host).toString())),
        Mistake.of("the stub of an id of another namespace", host -> pairs(host).stub(probe(host))),
        Mistake.of(
            "an id of a namespace that this runtime does not have",
            host -> pairs(host).idFromString("0123456789abcdef".repeat(4))),
        Mistake.of(
            "the past of an object of another namespace",
            host -> host.runtime().recovery(Host.PAIRS, probe(host))),
        Mistake.of(
            "the deletion of an object of another namespace",
            host -> host.runtime().admin().delete(Host.PAIRS, probe(host))),
        Mistake.of(
            "a name that UTF-8 cannot express", host -> probes(host).getByName("smile \ud83d")),
        Mistake.of("no name", host -> probes(host).getByName(nothing())),
        Mistake.of(
            "an id made of too few bytes",
            host -> probes(host).stub(ObjectId.of(new byte[16], null))));
  }

  private static ObjectNamespace<Probe> probes(Host host) {
    return host.runtime().namespace(Host.PROBES, Probe.class);
  }

  private static ObjectNamespace<Probe> pairs(Host host) {
    return host.runtime().namespace(Host.PAIRS, Probe.class);
  }

  private static ObjectId probe(Host host) {
    return probes(host).idFromName("front-page");
  }

  @SuppressWarnings("NullAway") // as an application without null checks
  private static String nothing() {
    return null;
  }
}
