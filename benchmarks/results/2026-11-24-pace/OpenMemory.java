import dev.holdfast.*;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.*;
import java.util.concurrent.atomic.*;

/** Growth of resident memory from 1,000 to 5,000 open objects, divided. */
public class OpenMemory {
  public interface M {
    void put(String k, byte[] v);
  }

  static final class O implements M {
    final ObjectContext c;

    O(ObjectContext c) {
      this.c = c;
    }

    public void put(String k, byte[] v) {
      c.storage().put(k, v);
    }
  }

  static long rss() throws Exception {
    for (String l : Files.readAllLines(Path.of("/proc/self/status")))
      if (l.startsWith("VmRSS")) return Long.parseLong(l.replaceAll("\\D", ""));
    return 0;
  }

  static void put(ObjectRuntime r, int from, int to, int callers) throws Exception {
    AtomicInteger next = new AtomicInteger(from);
    Thread[] ts = new Thread[callers];
    byte[] v = new byte[100];
    for (int k = 0; k < callers; k++)
      ts[k] =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i; (i = next.getAndIncrement()) < to; )
                      r.namespace("m", M.class).getByName("p" + i).put("k", v);
                  });
    for (Thread t : ts) t.join();
    for (int i = 0; i < 4; i++) System.gc();
  }

  public static void main(String[] a) throws Exception {
    int callers = Integer.parseInt(a[0]);
    var dir = Files.createTempDirectory("objects");
    ObjectRuntime r =
        Holdfast.open(
            dir,
            o -> {
              o.options(RuntimeOptions.DEFAULT.withOpenDatabasesMax(6000));
              o.namespace("m", M.class, O::new);
            });
    put(r, 0, 1000, callers);
    long one = rss();
    long h1 = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    put(r, 1000, 5000, callers);
    long five = rss();
    long h5 = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    System.out.printf(
        "callers %d: %.1f KiB resident each, heap used %.1f KiB each (RSS %d to %d KiB)%n",
        callers, (five - one) / 4000.0, (h5 - h1) / 1024.0 / 4000, one, five);
    Runtime.getRuntime().halt(0);
  }
}
