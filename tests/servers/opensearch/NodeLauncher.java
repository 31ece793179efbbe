import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.opensearch.Version;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.PluginInfo;

/**
 * Runs one node of OpenSearch from its jars, until standard input ends: java NodeLauncher plugin=CLASS … list:KEY=A,B … KEY=VALUE …
 *
 * <p>2.19 takes the classes of plugins, 3.x takes descriptions of them.
 */
public class NodeLauncher {
    static class PluginNode extends Node {
        @SuppressWarnings({"unchecked", "rawtypes"})
        PluginNode(Environment environment, Collection plugins) {
            super(environment, plugins, true);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Settings.Builder builder = Settings.builder();
        List<Object> plugins = new ArrayList<>();
        for (String argument : arguments) {
            int at = argument.indexOf('=');
            String key = argument.substring(0, at), value = argument.substring(at + 1);
            if (key.equals("plugin")) plugins.add(describePlugin(value));
            else if (key.startsWith("list:")) builder.putList(key.substring("list:".length()), value.split(","));
            else builder.put(key, value);
        }
        Settings settings = builder.build();
        for (String folder : List.of("config", "data", "logs")) Files.createDirectories(Path.of(settings.get("path.home"), folder));
        LogConfigurator.setNodeName(settings.get("node.name"));
        LogConfigurator.configureWithoutConfig(settings);
        Environment environment = InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "node");
        Node node = new PluginNode(environment, plugins).start();
        // Whoever started it holds the other end: killed, that one leaves no server behind.
        while (System.in.read() >= 0) continue;
        node.close();
        System.exit(0);
    }

    private static Object describePlugin(String name) throws Exception {
        if (Version.CURRENT.major < 3) return Class.forName(name);
        // Extensions of the scripting language are loaded only for plugins that say that they extend it.
        boolean extends_ = name.contains("KNNPlugin") || name.contains("CommonAnalysis");
        List<String> extended = extends_ ? List.of("org.opensearch.painless.PainlessModulePlugin") : List.of();
        return new PluginInfo(name, "classpath", "NA", Version.CURRENT, "17", name, null, extended, false);
    }
}
