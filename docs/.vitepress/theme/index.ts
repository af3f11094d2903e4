import theme from "vitepress/theme";
import "./site.css";

// VitePress reads its theme from a default export.
export default theme;
