package dev.holdfast.http.internal.report;

import dev.holdfast.http.monitor.object.SeenCookie;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Notes the cookies of pages in memory, and has those of a zone stored together, at most once a
 * minute: a page view waits for nothing and writes nothing. A crash loses the cookies of a minute,
 * which the next page views show again. Thread-safe.
 */
public final class CookieIntake {

  private static final Duration STORED_EVERY = Duration.ofMinutes(1);

  private final InstantSource clock;
  private final Executor background;
  private final BiConsumer<String, List<SeenCookie>> store;

  /** Held while cookies are stored, so that a list is read after them. */
  private final ReentrantLock storing = new ReentrantLock();

  /** The cookies that wait, by zone; the zone that waits for longest is the first. */
  private final LinkedHashMap<String, Noted> waiting = new LinkedHashMap<>();

  private int count;

  /** The cookies of a zone. */
  private record Noted(Instant since, Map<Key, SeenCookie> set, Map<Key, SeenCookie> sent) {}

  private record Key(String name, String host, String domain, String path) {}

  /**
   * Creates an intake.
   *
   * @param clock the source of the time
   * @param background runs what stores, on another thread
   * @param store stores cookies of a zone; throws nothing that its caller could handle
   */
  public CookieIntake(
      InstantSource clock, Executor background, BiConsumer<String, List<SeenCookie>> store) {
    this.clock = clock;
    this.background = background;
    this.store = store;
  }

  /**
   * Notes the cookies of a page.
   *
   * @param zone the zone
   * @param cookies the cookies
   */
  public void note(String zone, List<SeenCookie> cookies) {
    String due;
    synchronized (this) {
      for (SeenCookie cookie : cookies) {
        note(zone, cookie);
      }
      due = due();
    }
    if (due != null) {
      background.execute(() -> storeNow(due));
    }
  }

  private void note(String zone, SeenCookie cookie) {
    Noted noted =
        waiting.computeIfAbsent(
            zone, z -> new Noted(clock.instant(), new LinkedHashMap<>(), new LinkedHashMap<>()));
    Map<Key, SeenCookie> kind = cookie.isSet() ? noted.set() : noted.sent();
    Key key = new Key(cookie.name(), cookie.host(), cookie.domain(), cookie.path());
    SeenCookie known = kind.get(key);
    if (known != null) {
      SequencedSet<String> pages = new LinkedHashSet<>(cookie.pages());
      pages.addAll(known.pages());
      kind.put(
          key, cookie.withPages(pages.stream().limit(MonitorBounds.COOKIE_PAGES_MAX).toList()));
    } else if (kind.size() < MonitorBounds.COOKIES_NOTED_MAX) {
      // Those that responses set have room of their own: visitors invent the others.
      kind.put(key, cookie);
      count++;
    }
  }

  /** Returns the zone whose cookies are stored now, if any. */
  private @Nullable String due() {
    Map.Entry<String, Noted> eldest = waiting.firstEntry();
    boolean isDue =
        eldest != null
            && (count > MonitorBounds.COOKIES_NOTED_TOTAL_MAX
                || Duration.between(eldest.getValue().since(), clock.instant())
                        .abs()
                        .compareTo(STORED_EVERY)
                    >= 0);
    return isDue ? eldest.getKey() : null;
  }

  /**
   * Stores the cookies of a zone that wait. Returns when they are stored.
   *
   * @param zone the zone
   */
  public void storeNow(String zone) {
    storing.lock();
    try {
      List<SeenCookie> cookies = new ArrayList<>();
      synchronized (this) {
        Noted noted = waiting.remove(zone);
        if (noted == null) {
          return;
        }
        cookies.addAll(noted.set().values());
        cookies.addAll(noted.sent().values());
        count -= cookies.size();
      }
      store.accept(zone, cookies);
    } finally {
      storing.unlock();
    }
  }

  /** Stores all cookies that wait. */
  public void storeAll() {
    List<String> zones;
    synchronized (this) {
      zones = List.copyOf(waiting.keySet());
    }
    zones.forEach(this::storeNow);
  }
}
